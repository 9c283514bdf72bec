#include "instrumentation/pass/insert.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/EscapeEnumerator.h"

namespace weavefuzz::pass {
namespace {

// Hooks do not throw, so that calling one from a cleanup or between invokes changes nothing; beyond
// that the optimiser knows nothing of them and moves no access across a call.
llvm::FunctionCallee declare_hook(llvm::Module& module, llvm::StringRef name, llvm::ArrayRef<llvm::Type*> parameters) {
  llvm::LLVMContext& context = module.getContext();
  const auto attributes =
      llvm::AttributeList::get(context, llvm::AttributeList::FunctionIndex, {llvm::Attribute::NoUnwind});
  return module.getOrInsertFunction(name, llvm::FunctionType::get(llvm::Type::getVoidTy(context), parameters, false),
                                    attributes);
}

// The verifier wants a location on each call in a function that has debug information.
llvm::DebugLoc location_in(const llvm::Function& function, const llvm::DebugLoc& wanted) {
  llvm::DISubprogram* const subprogram = function.getSubprogram();
  if (wanted || !subprogram) return wanted;
  return llvm::DILocation::get(function.getContext(), 0, 0, subprogram);
}

}  // namespace

void insert_access_hook(const Access& access, llvm::Constant* site) {
  llvm::IRBuilder<> builder(access.instruction);
  builder.SetCurrentDebugLocation(location_in(*access.instruction->getFunction(), access.instruction->getDebugLoc()));
  llvm::PointerType* const pointer = builder.getPtrTy();
  if (access.kind == WEAVEFUZZ_Yield) {
    builder.CreateCall(declare_hook(*access.instruction->getModule(), "__weavefuzz_yield", {pointer}), {site});
    return;
  }
  const llvm::FunctionCallee hook = declare_hook(*access.instruction->getModule(), "__weavefuzz_access",
                                                 {pointer, pointer, builder.getInt32Ty(), builder.getInt64Ty()});
  llvm::Value* const address = access.address ? access.address : llvm::ConstantPointerNull::get(pointer);
  llvm::Value* const size =
      access.length ? builder.CreateZExtOrTrunc(access.length, builder.getInt64Ty()) : builder.getInt64(access.size);
  builder.CreateCall(hook, {site, address, builder.getInt32(access.kind), size});
}

void insert_context_hooks(llvm::Function& function, llvm::Constant* site) {
  llvm::Module& module = *function.getParent();
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  builder.SetCurrentDebugLocation(location_in(function, {}));
  builder.CreateCall(declare_hook(module, "__weavefuzz_enter", {builder.getPtrTy()}), {site});

  const llvm::FunctionCallee exit = declare_hook(module, "__weavefuzz_exit", {});
  llvm::EscapeEnumerator escapes(function, "weavefuzz_cleanup");
  while (llvm::IRBuilder<>* at = escapes.Next()) {
    at->SetCurrentDebugLocation(location_in(function, at->getCurrentDebugLocation()));
    at->CreateCall(exit);
  }
}

}  // namespace weavefuzz::pass
