#include "instrumentation/pass/site_table.h"

#include <algorithm>

#include "instrumentation/pass/llvm_compat.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace weavefuzz::pass {
namespace {

static_assert(sizeof(weavefuzz_site) == 32 && sizeof(weavefuzz_module) == 40,
              "the types below must be laid out like these");

const llvm::Align kRecordAlign(8);
constexpr char kConstructorName[] = "weavefuzz.module_ctor";

// Ahead of the program's own constructors, which may already start threads.
constexpr int kConstructorPriority = 1;

llvm::Constant* bound(llvm::Module& module, const llvm::Twine& name) {
  // Weak, for an object without a single site; hidden, because each linked object has its own.
  auto* const symbol = new llvm::GlobalVariable(module, llvm::Type::getInt8Ty(module.getContext()), /*isConstant=*/true,
                                                llvm::GlobalValue::ExternalWeakLinkage, nullptr, name);
  symbol->setVisibility(llvm::GlobalValue::HiddenVisibility);
  hide_from_sanitizers(*symbol);
  return symbol;
}

}  // namespace

void hide_from_sanitizers(llvm::GlobalVariable& variable) {
  llvm::GlobalValue::SanitizerMetadata metadata;
  metadata.NoAddress = true;
  metadata.NoHWAddress = true;
  variable.setSanitizerMetadata(metadata);
}

void hide_from_sanitizers(llvm::Function& function) {
  function.addFnAttr(llvm::Attribute::DisableSanitizerInstrumentation);
  function.addFnAttr(llvm::Attribute::NoSanitizeCoverage);
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

SiteTable::SiteTable(llvm::Module& module) : module_(module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* const i8 = llvm::Type::getInt8Ty(context);
  llvm::Type* const i16 = llvm::Type::getInt16Ty(context);
  llvm::Type* const i32 = llvm::Type::getInt32Ty(context);
  site_type_ = llvm::StructType::create({i32, i32, i32, i32, i32, i16, i8, i8, i32, i32}, "weavefuzz.site");
}

llvm::Constant* SiteTable::string(llvm::StringRef text) {
  llvm::Constant*& found = strings_[text];
  if (found) return found;
  llvm::Constant* const characters = llvm::ConstantDataArray::getString(module_.getContext(), text);
  auto* const variable = new llvm::GlobalVariable(module_, characters->getType(), /*isConstant=*/true,
                                                  llvm::GlobalValue::PrivateLinkage, characters, "__weavefuzz_string");
  variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  variable->setAlignment(llvm::Align(1));
  hide_from_sanitizers(*variable);
  return found = variable;
}

llvm::Constant* SiteTable::distance(llvm::Constant* record, llvm::StringRef text) {
  llvm::Type* const i32 = llvm::Type::getInt32Ty(module_.getContext());
  if (text.empty()) return llvm::ConstantInt::get(i32, 0);
  llvm::Type* const i64 = llvm::Type::getInt64Ty(module_.getContext());
  return llvm::ConstantExpr::getTrunc(llvm::ConstantExpr::getSub(llvm::ConstantExpr::getPtrToInt(string(text), i64),
                                                                 llvm::ConstantExpr::getPtrToInt(record, i64)),
                                      i32);
}

std::vector<llvm::Constant*> SiteTable::add(llvm::Function& function, const std::vector<Site>& sites) {
  std::vector<llvm::Constant*> addresses;
  if (sites.empty()) return addresses;
  auto* const type = llvm::ArrayType::get(site_type_, sites.size());
  auto* const array = new llvm::GlobalVariable(module_, type, /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                                               nullptr, "__weavefuzz_sites." + function.getName());
  array->setSection(WEAVEFUZZ_SITES_SECTION);
  array->setAlignment(kRecordAlign);
  // The linker must keep or drop the records together with the code that refers to them. Without
  // a group that follows from the references alone: SHF_LINK_ORDER ("associated") would add
  // nothing but errors when link-time optimisation inlines the function elsewhere.
  array->setComdat(function.getComdat());
  hide_from_sanitizers(*array);

  llvm::LLVMContext& context = module_.getContext();
  const auto integer = [&context](unsigned bits, std::uint64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getIntNTy(context, bits), value);
  };
  std::vector<llvm::Constant*> records;
  for (const Site& site : sites) {
    llvm::Constant* const indices[] = {integer(64, 0), integer(64, addresses.size())};
    llvm::Constant* const record = llvm::ConstantExpr::getInBoundsGetElementPtr(type, array, indices);
    const SourceLocation& at = site.location;
    const unsigned flags = at.in_system_header ? WEAVEFUZZ_SITE_SYSTEM_HEADER : 0;
    llvm::Constant* const function_name = distance(record, at.function);
    llvm::Constant* const file_name = distance(record, at.file);
    llvm::Constant* const variable_name = distance(record, site.variable);
    records.push_back(
        llvm::ConstantStruct::get(site_type_, function_name, file_name, variable_name, integer(32, site.key),
                                  integer(32, at.line), integer(16, std::min<std::uint32_t>(at.column, 65535)),
                                  integer(8, site.kind), integer(8, flags), integer(32, site.size), integer(32, 0)));
    addresses.push_back(record);
  }
  array->setInitializer(llvm::ConstantArray::get(type, records));
  arrays_.push_back(array);
  return addresses;
}

void SiteTable::finish(const Counts& counts, llvm::Function* reset_thread_locals) {
  llvm::appendToCompilerUsed(module_, arrays_);
  llvm::LLVMContext& context = module_.getContext();
  llvm::Type* const i32 = llvm::Type::getInt32Ty(context);
  llvm::PointerType* const pointer = llvm::PointerType::getUnqual(context);
  auto* const skipped_type = llvm::ArrayType::get(i32, WEAVEFUZZ_SKIP_REASONS);
  auto* const type = llvm::StructType::create({i32, i32, skipped_type, pointer, pointer}, "weavefuzz.module");
  const auto integer = [i32](std::uint32_t value) { return llvm::ConstantInt::get(i32, value); };
  std::vector<llvm::Constant*> skipped;
  for (const std::uint32_t count : counts.skipped) skipped.push_back(integer(count));

  llvm::Constant* const reset =
      reset_thread_locals ? static_cast<llvm::Constant*>(reset_thread_locals) : llvm::ConstantPointerNull::get(pointer);
  llvm::Constant* const value = llvm::ConstantStruct::get(
      type, integer(WEAVEFUZZ_ABI_VERSION), integer(counts.instrumented),
      llvm::ConstantArray::get(skipped_type, skipped), string(module_.getSourceFileName()), reset);
  // Not constant: the section holds pointers, and must have the same flags whether or not the
  // object is position-independent.
  auto* const record = new llvm::GlobalVariable(module_, type, /*isConstant=*/false, llvm::GlobalValue::PrivateLinkage,
                                                value, "__weavefuzz_module");
  record->setSection(WEAVEFUZZ_MODULES_SECTION);
  record->setAlignment(kRecordAlign);
  hide_from_sanitizers(*record);
  // No code refers to it: only this keeps the linker's garbage collection away.
  llvm::appendToUsed(module_, {record});
  emit_constructor();
}

void SiteTable::emit_constructor() {
  llvm::LLVMContext& context = module_.getContext();
  auto* const constructor =
      llvm::Function::createWithDefaultAttr(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                            llvm::GlobalValue::InternalLinkage, 0, kConstructorName, &module_);
  hide_from_sanitizers(*constructor);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", constructor));
  llvm::Type* const pointer = builder.getPtrTy();
  const llvm::FunctionCallee hook = module_.getOrInsertFunction(
      "__weavefuzz_register",
      llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer, pointer}, false));
  builder.CreateCall(
      hook,
      {bound(module_, "__start_" WEAVEFUZZ_SITES_SECTION), bound(module_, "__stop_" WEAVEFUZZ_SITES_SECTION),
       bound(module_, "__start_" WEAVEFUZZ_MODULES_SECTION), bound(module_, "__stop_" WEAVEFUZZ_MODULES_SECTION)});
  builder.CreateRetVoid();

  llvm::Constant* key = nullptr;
  if (target_of(module_).supportsCOMDAT()) {
    // One constructor per linked object is enough: it registers the records of all.
    constructor->setComdat(module_.getOrInsertComdat(kConstructorName));
    key = constructor;
  }
  llvm::appendToGlobalCtors(module_, constructor, kConstructorPriority, key);
}

}  // namespace weavefuzz::pass
