#include "instrumentation/pass/library_functions.h"

#include "llvm/IR/Module.h"

namespace weavefuzz::pass {
namespace {

// A function, and a variable that only it uses.
struct LibraryFunction {
  const char* name;
  const char* variable;
};

constexpr LibraryFunction kLibraryFunctions[] = {
    // std::__detail::__waiter_pool_base::_S_for(void const*), behind std::atomic::wait: it hashes an address.
    {"_ZNSt8__detail18__waiter_pool_base6_S_forEPKv", "_ZZNSt8__detail18__waiter_pool_base6_S_forEPKvE3__w"},
};

}  // namespace

llvm::PreservedAnalyses LibraryFunctionsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (const auto& [name, variable_name] : kLibraryFunctions) {
    llvm::Function* function = module.getFunction(name);
    if (function == nullptr || function->isDeclaration()) continue;
    function->deleteBody();
    function->setComdat(nullptr);
    function->setDSOLocal(false);
    llvm::GlobalVariable* variable = module.getGlobalVariable(variable_name);
    if (variable != nullptr && variable->use_empty()) variable->eraseFromParent();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace weavefuzz::pass
