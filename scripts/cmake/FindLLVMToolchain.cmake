# The LLVM that the pass is built for; the compiler wrapper calls exactly that clang. Sets LLVM_* as
# LLVMConfig does, WEAVEFUZZ_LLVM_MAJOR and WEAVEFUZZ_LLVM_BIN.
set(WEAVEFUZZ_LLVM_DIR "" CACHE PATH "Prefix of the LLVM to build for, such as the one of llvm-19")
find_package(LLVM REQUIRED CONFIG HINTS "${WEAVEFUZZ_LLVM_DIR}" "${WEAVEFUZZ_LLVM_DIR}/lib/cmake/llvm")
set(WEAVEFUZZ_LLVM_MAJOR ${LLVM_VERSION_MAJOR})
set(WEAVEFUZZ_LLVM_BIN "${LLVM_TOOLS_BINARY_DIR}")

if(LLVM_VERSION_MAJOR LESS 19)
  message(FATAL_ERROR
    "LLVM ${LLVM_PACKAGE_VERSION} is too old: before LLVM 19, ThreadSanitizer also instruments the counters of "
    "SanitizerCoverage, so that two threads in the same code give a false race.\n"
    "  try: install LLVM 19 or newer and set -DWEAVEFUZZ_LLVM_DIR=<its prefix>")
endif()
foreach(tool clang clang++ llvm-symbolizer)
  if(NOT EXISTS "${WEAVEFUZZ_LLVM_BIN}/${tool}")
    message(FATAL_ERROR "${WEAVEFUZZ_LLVM_BIN} has no ${tool}\n  try: scripts/build, which installs what is needed")
  endif()
endforeach()
message(STATUS "Weavefuzz is built for LLVM ${LLVM_PACKAGE_VERSION}")
