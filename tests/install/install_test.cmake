# cmake -DBUILD= -DCONSUMER= -DWORK= -DGENERATOR= -DCOMPILER= -P install_test.cmake

# run(EXIT_CODE command...) sets `output`.
function(run expected)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE code
    OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code STREQUAL expected)
    message(FATAL_ERROR "exit code ${code}, expected ${expected}: ${ARGN}\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

function(expect_output pattern)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "\"${pattern}\" is not in:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(prefix "${WORK}/prefix")
run(0 "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")

# A copy, whose header is touched below.
file(COPY "${CONSUMER}" DESTINATION "${WORK}")
set(source "${WORK}/consumer")
set(build "${WORK}/build")
run(0 "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${source}" -B "${build}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${prefix}")
run(0 "${CMAKE_COMMAND}" --build "${build}")

# Nothing to do, then only what includes the header.
run(0 "${CMAKE_COMMAND}" --build "${build}")
if(output MATCHES "Building|Linking")
  message(FATAL_ERROR "built again though nothing had changed:\n${output}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1.1)
file(TOUCH "${source}/include/counter.h")
run(0 "${CMAKE_COMMAND}" --build "${build}")
expect_output("Building counter.c of harness hits")
expect_output("Linking harness hits")

run(77 "${build}/bin/hits" -runs=20000 -seed=1)
expect_output("SUMMARY: Weavefuzz")
file(GLOB artifacts "${WORK}/crash-*")
list(GET artifacts 0 artifact)
run(77 "${prefix}/bin/weavefuzz" replay "${build}/bin/hits" "${artifact}")
expect_output("TRACE_HASH: ")
run(77 "${build}/bin/hits_thread" -runs=20000 -seed=1)
expect_output("data race")

run(0 "${prefix}/bin/weavefuzz" bench --repeat=1 --runs=1000 --json runs_per_second.plain)
expect_output("\"name\": \"runs_per_second.plain\"")
file(REMOVE_RECURSE "${WORK}")
