# What `cmake --install` puts where, and what AddHarness.cmake needs in this tree. The compiler wrapper and
# the command find the rest relative to themselves, so that a prefix can be moved.
include(CMakePackageConfigHelpers)

set(WEAVEFUZZ_INSTALLED_BIN bin)
set(WEAVEFUZZ_INSTALLED_INCLUDE include)
set(WEAVEFUZZ_INSTALLED_LIBRARY lib/weavefuzz)
set(WEAVEFUZZ_INSTALLED_CMAKE lib/cmake/weavefuzz)
set(WEAVEFUZZ_INSTALLED_BENCH share/weavefuzz/bench)
set(WEAVEFUZZ_LINKED_FILES weavefuzz_pass.so
  weavefuzz_runtime.o weavefuzz_runtime.o.list weavefuzz_runtime.o.first
  weavefuzz_fuzzer.o weavefuzz_fuzzer.o.list weavefuzz_fuzzer.o.first
  weavefuzz_heap.o weavefuzz_tsan.o weavefuzz_tsan.o.first)

install(TARGETS weavefuzz RUNTIME DESTINATION ${WEAVEFUZZ_INSTALLED_BIN})
install(PROGRAMS "${PROJECT_BINARY_DIR}/bin/weavefuzz-clang" "${PROJECT_BINARY_DIR}/bin/weavefuzz-clang++"
  DESTINATION ${WEAVEFUZZ_INSTALLED_BIN})
foreach(name ${WEAVEFUZZ_LINKED_FILES})
  install(FILES "${WEAVEFUZZ_LIBRARY_DIR}/${name}" DESTINATION ${WEAVEFUZZ_INSTALLED_LIBRARY})
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/fuzzer/include/" DESTINATION ${WEAVEFUZZ_INSTALLED_INCLUDE})
foreach(name two_threads hook_cost switch_cost)
  install(FILES "${PROJECT_SOURCE_DIR}/tests/bench/${name}.cpp" DESTINATION ${WEAVEFUZZ_INSTALLED_BENCH})
endforeach()

configure_package_config_file("${PROJECT_SOURCE_DIR}/scripts/cmake/weavefuzz-config.cmake.in"
  "${PROJECT_BINARY_DIR}/cmake/weavefuzz-config.cmake"
  INSTALL_DESTINATION ${WEAVEFUZZ_INSTALLED_CMAKE}
  PATH_VARS WEAVEFUZZ_INSTALLED_BIN WEAVEFUZZ_INSTALLED_INCLUDE WEAVEFUZZ_INSTALLED_LIBRARY)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/weavefuzz-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/cmake/weavefuzz-config.cmake"
  "${PROJECT_BINARY_DIR}/cmake/weavefuzz-config-version.cmake"
  "${PROJECT_SOURCE_DIR}/scripts/cmake/AddHarness.cmake"
  DESTINATION ${WEAVEFUZZ_INSTALLED_CMAKE})

# The same function for the harnesses of this tree, with what is being built here.
set(WEAVEFUZZ_BIN_DIR "${PROJECT_BINARY_DIR}/bin")
set(WEAVEFUZZ_INCLUDE_DIR "${PROJECT_SOURCE_DIR}/fuzzer/include")
set(WEAVEFUZZ_TOOL_TARGETS weavefuzz_pass weavefuzz_fuzzer weavefuzz_heap_object weavefuzz_tsan_object)
set(WEAVEFUZZ_TOOL_FILES "${WEAVEFUZZ_BIN_DIR}/weavefuzz-clang" "${WEAVEFUZZ_BIN_DIR}/weavefuzz-clang++"
  "${WEAVEFUZZ_LIBRARY_DIR}/weavefuzz_fuzzer.o" "${WEAVEFUZZ_LIBRARY_DIR}/weavefuzz_heap.o" "${WEAVEFUZZ_LIBRARY_DIR}/weavefuzz_tsan.o")
include(AddHarness)
