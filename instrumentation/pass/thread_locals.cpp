#include "instrumentation/pass/thread_locals.h"

#include <vector>

#include "instrumentation/pass/site_table.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace weavefuzz::pass {
namespace {

bool must_be_reset(const llvm::GlobalVariable& variable) {
  if (!variable.isThreadLocal() || variable.isDeclarationForLinker() || variable.isConstant()) return false;
  // A private copy in a group that the linker drops would leave us with a dangling reference.
  if (variable.hasLocalLinkage() && variable.hasComdat()) return false;
  return llvm::none_of(llvm::ArrayRef<llvm::StringRef>{"__weavefuzz", "__sancov", "__sanitizer", "__asan", "__tsan",
                                                       "__msan", "__hwasan", "__lsan", "__ubsan", "__llvm_"},
                       [&](llvm::StringRef tool) { return variable.getName().starts_with(tool); });
}

void reset(llvm::GlobalVariable& variable, llvm::IRBuilder<>& builder) {
  llvm::Module& module = *variable.getParent();
  llvm::Constant* const initial = variable.getInitializer();
  const std::uint64_t size = module.getDataLayout().getTypeAllocSize(variable.getValueType());
  if (size == 0) return;
  llvm::Value* const address = builder.CreateThreadLocalAddress(&variable);
  if (initial->isNullValue() || llvm::isa<llvm::UndefValue>(initial)) {
    builder.CreateMemSet(address, builder.getInt8(0), size, variable.getAlign());
    return;
  }
  auto* const copy =
      new llvm::GlobalVariable(module, initial->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                               initial, "__weavefuzz_initial." + variable.getName());
  copy->setAlignment(variable.getAlign());
  copy->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  hide_from_sanitizers(*copy);
  builder.CreateMemCpy(address, variable.getAlign(), copy, variable.getAlign(), size);
}

}  // namespace

llvm::Function* emit_thread_local_reset(llvm::Module& module) {
  std::vector<llvm::GlobalVariable*> variables;
  for (llvm::GlobalVariable& variable : module.globals())
    if (must_be_reset(variable)) variables.push_back(&variable);
  if (variables.empty()) return nullptr;

  llvm::LLVMContext& context = module.getContext();
  auto* const function = llvm::Function::createWithDefaultAttr(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), false), llvm::GlobalValue::InternalLinkage, 0,
      "__weavefuzz_reset_thread_locals", &module);
  function->addFnAttr(llvm::Attribute::NoInline);
  hide_from_sanitizers(*function);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  for (llvm::GlobalVariable* variable : variables) reset(*variable, builder);
  builder.CreateRetVoid();
  return function;
}

}  // namespace weavefuzz::pass
