// pass.h - instruments one module: selects, describes, inserts, records.
#pragma once

#include "llvm/IR/PassManager.h"

namespace weavefuzz::pass {

class WeavefuzzPass : public llvm::PassInfoMixin<WeavefuzzPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace weavefuzz::pass
