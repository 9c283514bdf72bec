# weavefuzz_add_harness(NAME [sources...]
#                       [SANITIZERS thread|address|undefined...]
#                       [COMPILE_OPTIONS ...] [LINK_OPTIONS ...] [INCLUDE_DIRECTORIES ...])
#
# Builds the fuzz target NAME from C and C++ sources (harness.cpp if none is given) with Weavefuzz's
# compiler, whatever the compiler of the project is: its flags, such as CMAKE_CXX_FLAGS, are not used. Of
# the project's settings, CMAKE_CXX_STANDARD, CMAKE_C_STANDARD and CMAKE_RUNTIME_OUTPUT_DIRECTORY (bin in the
# current binary directory, if it is not set) count.
#
# NAME is a target that is part of "all". Its property WEAVEFUZZ_EXECUTABLE is the path of the program:
#   add_test(NAME bank COMMAND $<TARGET_PROPERTY:bank,WEAVEFUZZ_EXECUTABLE> -runs=1000)
#
# Needs from whoever includes it: WEAVEFUZZ_BIN_DIR, WEAVEFUZZ_INCLUDE_DIR, WEAVEFUZZ_TOOL_FILES (what to
# build again after) and, where these are being built themselves, WEAVEFUZZ_TOOL_TARGETS.
include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.21)

# -std=... as the project asks for it, for `language` C or CXX.
function(_weavefuzz_standard language prefix out)
  set(option "")
  if(DEFINED CMAKE_${language}_STANDARD)
    set(dialect gnu)
    if(DEFINED CMAKE_${language}_EXTENSIONS AND NOT CMAKE_${language}_EXTENSIONS)
      set(dialect c)
    endif()
    set(option "-std=${dialect}${prefix}${CMAKE_${language}_STANDARD}")
  endif()
  set(${out} "${option}" PARENT_SCOPE)
endfunction()

function(weavefuzz_add_harness name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SANITIZERS;COMPILE_OPTIONS;LINK_OPTIONS;INCLUDE_DIRECTORIES")
  set(sources ${arg_UNPARSED_ARGUMENTS})
  if(NOT sources)
    set(sources harness.cpp)
  endif()
  foreach(sanitizer ${arg_SANITIZERS})
    if(NOT sanitizer MATCHES "^(thread|address|undefined|leak)$")
      message(FATAL_ERROR "weavefuzz_add_harness(${name}): unknown sanitizer ${sanitizer}\n"
        "  try: thread, address or undefined")
    endif()
  endforeach()
  if("thread" IN_LIST arg_SANITIZERS AND "address" IN_LIST arg_SANITIZERS)
    message(FATAL_ERROR "weavefuzz_add_harness(${name}): no program can have both thread and address\n"
      "  try: two harnesses with the same sources")
  endif()

  list(JOIN arg_SANITIZERS "," sanitizers)
  set(sanitize "-fsanitize=fuzzer")
  if(sanitizers)
    string(APPEND sanitize ",${sanitizers}")
  endif()
  set(includes "")
  foreach(folder ${arg_INCLUDE_DIRECTORIES})
    if(NOT folder MATCHES "^\\$<")
      get_filename_component(folder "${folder}" ABSOLUTE)
    endif()
    list(APPEND includes "-I${folder}")
  endforeach()
  set(options -g -O1 ${sanitize} ${includes} "-I${WEAVEFUZZ_INCLUDE_DIR}" ${arg_COMPILE_OPTIONS})
  _weavefuzz_standard(CXX ++ cxx_standard)
  _weavefuzz_standard(C "" c_standard)

  # Makefiles do not notice that a command has changed; this file has then changed, too.
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.harness")
  set(flags "${folder}/flags")
  file(GENERATE OUTPUT "${flags}"
    CONTENT "${options} ${cxx_standard} ${c_standard} link: ${arg_LINK_OPTIONS}\n")

  set(objects "")
  set(number 0)
  foreach(source ${sources})
    get_filename_component(path "${source}" ABSOLUTE)
    get_filename_component(base "${source}" NAME)
    math(EXPR number "${number} + 1")
    set(object "${folder}/${number}-${base}.o")
    if(base MATCHES "\\.c$")
      set(compile "${WEAVEFUZZ_BIN_DIR}/weavefuzz-clang" ${c_standard})
    else()
      set(compile "${WEAVEFUZZ_BIN_DIR}/weavefuzz-clang++" ${cxx_standard})
    endif()
    add_custom_command(OUTPUT "${object}"
      COMMAND ${compile} ${options} -MD -MF "${object}.d" -MT "${object}" -c "${path}" -o "${object}"
      DEPENDS "${path}" "${flags}" ${WEAVEFUZZ_TOOL_FILES} ${WEAVEFUZZ_TOOL_TARGETS}
      DEPFILE "${object}.d"
      COMMENT "Building ${base} of harness ${name}"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects "${object}")
  endforeach()

  set(output "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  get_filename_component(output "${output}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  if(output STREQUAL CMAKE_CURRENT_BINARY_DIR OR output STREQUAL CMAKE_BINARY_DIR)
    string(APPEND output "/bin") # there, the program's file would be taken for the target of the same name
  endif()
  file(MAKE_DIRECTORY "${output}")
  set(program "${output}/${name}")
  add_custom_command(OUTPUT "${program}"
    COMMAND "${WEAVEFUZZ_BIN_DIR}/weavefuzz-clang++" ${sanitize} ${objects} ${arg_LINK_OPTIONS} -o "${program}"
    DEPENDS ${objects} "${flags}" ${WEAVEFUZZ_TOOL_FILES} ${WEAVEFUZZ_TOOL_TARGETS}
    COMMENT "Linking harness ${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${program}")
  set_target_properties(${name} PROPERTIES WEAVEFUZZ_EXECUTABLE "${program}")
endfunction()

cmake_policy(POP)
