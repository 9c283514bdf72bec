// plugin.cpp - tells LLVM where the pass goes.

#include "instrumentation/pass/library_functions.h"
#include "instrumentation/pass/llvm_compat.h"
#include "instrumentation/pass/pass.h"
#include "llvm/Passes/PassBuilder.h"

namespace {

using weavefuzz::pass::LibraryFunctionsPass;
using weavefuzz::pass::WeavefuzzPass;

// Both points come before the sanitizers and coverage. The early one sees loops that are not yet
// vectorised; but at -O0 coroutines have their frames only at the last one.
void add_to(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, auto...) { passes.addPass(LibraryFunctionsPass()); });
  builder.registerOptimizerEarlyEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level, auto...) {
    if (level != llvm::OptimizationLevel::O0) passes.addPass(WeavefuzzPass());
  });
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level, auto...) {
    if (level == llvm::OptimizationLevel::O0) passes.addPass(WeavefuzzPass());
  });
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef name, llvm::ModulePassManager& passes, llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name != "weavefuzz") return false;
        passes.addPass(WeavefuzzPass());
        return true;
      });
}

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "weavefuzz", LLVM_VERSION_STRING, add_to};
}
