// library_functions.h - inline functions of the C++ library for which the runtime has its own.
#pragma once

#include "llvm/IR/PassManager.h"

namespace weavefuzz::pass {

// Turns their definitions into declarations. Comes first in the pipeline, before anything is inlined.
class LibraryFunctionsPass : public llvm::PassInfoMixin<LibraryFunctionsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace weavefuzz::pass
