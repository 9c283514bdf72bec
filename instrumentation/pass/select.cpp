#include "instrumentation/pass/select.h"

#include <optional>

#include "instrumentation/pass/llvm_compat.h"
#include "instrumentation/pass/options.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace weavefuzz::pass {
namespace {

constexpr llvm::StringRef kIgnoreAnnotation = "weavefuzz_ignore";

bool has_prefix(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> prefixes) {
  return llvm::any_of(prefixes, [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
}

// Functions that tools put into the program; nobody wrote them and nobody debugs them.
bool is_generated(const llvm::Function& function) {
  return has_prefix(function.getName(),
                    {"__weavefuzz_", "weavefuzz.", "asan.module_", "tsan.module_", "msan.module_", "hwasan.module_",
                     "sancov.module_", "__sanitizer_", "__sancov", "__asan_", "__tsan_", "__ubsan_", "__llvm_"});
}

// Counters and tables of coverage, profiling and sanitizers.
bool is_tool_data(const llvm::GlobalVariable& global) {
  constexpr llvm::StringRef kPrefixes[] = {"__weavefuzz_",
                                           "__sancov",
                                           "__llvm_prf",
                                           "__llvm_gcov",
                                           "__llvm_profile",
                                           "__llvm_covmap",
                                           "__profc_",
                                           "__profd_",
                                           "__profbm_",
                                           "__covrec",
                                           "__asan_",
                                           "___asan_",
                                           "__tsan_",
                                           "__ubsan_",
                                           "__msan_",
                                           "__hwasan_",
                                           "__libfuzzer_extra_counters"};
  return has_prefix(global.getName(), kPrefixes) || has_prefix(global.getSection(), kPrefixes);
}

// Calls that libatomic answers, for objects too large for an instruction.
struct AtomicLibraryCall {
  llvm::StringRef name;  // also with a suffix such as _16, which has no leading size argument
  weavefuzz_event_kind kind;
};
constexpr AtomicLibraryCall kAtomicLibraryCalls[] = {
    {"__atomic_load", WEAVEFUZZ_AtomicRead},        {"__atomic_store", WEAVEFUZZ_AtomicWrite},
    {"__atomic_exchange", WEAVEFUZZ_AtomicUpdate},  {"__atomic_compare_exchange", WEAVEFUZZ_CompareExchange},
    {"__atomic_fetch_add", WEAVEFUZZ_AtomicUpdate}, {"__atomic_fetch_sub", WEAVEFUZZ_AtomicUpdate},
    {"__atomic_fetch_and", WEAVEFUZZ_AtomicUpdate}, {"__atomic_fetch_or", WEAVEFUZZ_AtomicUpdate},
    {"__atomic_fetch_xor", WEAVEFUZZ_AtomicUpdate}, {"__atomic_fetch_nand", WEAVEFUZZ_AtomicUpdate},
};

std::optional<Access> atomic_library_call(llvm::CallBase& call) {
  const llvm::Function* const callee = call.getCalledFunction();
  if (!callee || !callee->getName().starts_with("__atomic_")) return std::nullopt;
  for (const AtomicLibraryCall& row : kAtomicLibraryCalls) {
    llvm::StringRef suffix = callee->getName();
    if (!suffix.consume_front(row.name)) continue;
    std::uint64_t size = 0;
    const bool sized = suffix.consume_front("_") && !suffix.getAsInteger(10, size);
    if (!sized && !suffix.empty()) continue;
    const unsigned at = sized ? 0 : 1;
    if (call.arg_size() <= at || !call.getArgOperand(at)->getType()->isPointerTy()) continue;
    Access access{&call, call.getArgOperand(at), row.kind, size, nullptr};
    if (!sized) access.length = call.getArgOperand(0);
    return access;
  }
  return std::nullopt;
}

// Assembly that only says "I am waiting", whatever white space and semicolons surround it.
constexpr llvm::StringRef kPauseAssembly[] = {"pause", "rep; nop", "rep;nop", "rep nop",
                                              "yield", "isb",      "isb sy",  "wfe"};
// The same as intrinsics; on AArch64 the hint's number says which one it is.
constexpr llvm::StringRef kPauseIntrinsics[] = {"llvm.x86.sse2.pause", "llvm.aarch64.isb", "llvm.aarch64.hint"};
constexpr std::uint64_t kHintYield = 1, kHintWaitForEvent = 2;

bool is_pause(const llvm::CallBase& call) {
  if (const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return llvm::is_contained(kPauseAssembly, llvm::StringRef(assembly->getAsmString()).trim(" \t\n;"));
  const llvm::Function* const callee = call.getCalledFunction();
  if (!callee || !callee->isIntrinsic() || !llvm::is_contained(kPauseIntrinsics, callee->getName())) return false;
  if (!callee->getName().ends_with(".hint")) return true;
  const auto* hint = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  return hint && (hint->getZExtValue() == kHintYield || hint->getZExtValue() == kHintWaitForEvent);
}

// Lists what one instruction does to memory, in order; at most two accesses.
class AccessLister {
 public:
  explicit AccessLister(const llvm::DataLayout& layout) : layout_(layout) {}

  llvm::SmallVector<Access, 2> list(llvm::Instruction& instruction) {
    accesses_.clear();
    instruction_ = &instruction;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      add(load->isAtomic() ? WEAVEFUZZ_AtomicRead : WEAVEFUZZ_Read, load->getPointerOperand(),
          size_of(load->getType()));
    else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      add(store->isAtomic() ? WEAVEFUZZ_AtomicWrite : WEAVEFUZZ_Write, store->getPointerOperand(),
          size_of(store->getValueOperand()->getType()));
    else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      add(WEAVEFUZZ_AtomicUpdate, update->getPointerOperand(), size_of(update->getValOperand()->getType()));
    else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      add(WEAVEFUZZ_CompareExchange, exchange->getPointerOperand(), size_of(exchange->getNewValOperand()->getType()));
    else if (llvm::isa<llvm::FenceInst>(instruction))
      add(WEAVEFUZZ_Fence, nullptr, 0);
    else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      list_call(*call);
    return std::move(accesses_);
  }

 private:
  void list_call(llvm::CallBase& call) {
    if (is_pause(call)) {
      add(WEAVEFUZZ_Yield, nullptr, 0);
    } else if (call.isInlineAsm()) {
      if (call.mayReadOrWriteMemory()) add(WEAVEFUZZ_Assembly, nullptr, 0);
    } else if (auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(&call)) {
      add_range(WEAVEFUZZ_RangeRead, transfer->getRawSource(), transfer->getLength());
      add_range(WEAVEFUZZ_RangeWrite, transfer->getRawDest(), transfer->getLength());
    } else if (auto* set = llvm::dyn_cast<llvm::AnyMemSetInst>(&call)) {
      add_range(WEAVEFUZZ_RangeWrite, set->getRawDest(), set->getLength());
    } else if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
      list_masked(*intrinsic);
    } else if (const auto access = atomic_library_call(call)) {
      accesses_.push_back(*access);
    }
  }

  // All lanes count as accessed: which really are is known only at run time.
  void list_masked(llvm::IntrinsicInst& call) {
    switch (call.getIntrinsicID()) {
      case llvm::Intrinsic::masked_load:
      case llvm::Intrinsic::masked_expandload:
        return add(WEAVEFUZZ_RangeRead, call.getArgOperand(0), size_of(call.getType()));
      case llvm::Intrinsic::masked_store:
      case llvm::Intrinsic::masked_compressstore:
        return add(WEAVEFUZZ_RangeWrite, call.getArgOperand(1), size_of(call.getArgOperand(0)->getType()));
      case llvm::Intrinsic::masked_gather: return add(WEAVEFUZZ_RangeRead, nullptr, 0);
      case llvm::Intrinsic::masked_scatter: return add(WEAVEFUZZ_RangeWrite, nullptr, 0);
      default: return;
    }
  }

  void add(weavefuzz_event_kind kind, llvm::Value* address, std::uint64_t size) {
    accesses_.push_back({instruction_, address, kind, size, nullptr});
  }

  void add_range(weavefuzz_event_kind kind, llvm::Value* address, llvm::Value* length) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(length);
    if (constant && constant->isZero()) return;
    add(kind, address, constant ? constant->getZExtValue() : 0);
    if (!constant) accesses_.back().length = length;
  }

  std::uint64_t size_of(llvm::Type* type) const {
    const llvm::TypeSize size = layout_.getTypeStoreSize(type);
    return size.isScalable() ? 0 : size.getFixedValue();
  }

  const llvm::DataLayout& layout_;
  llvm::Instruction* instruction_ = nullptr;
  llvm::SmallVector<Access, 2> accesses_;
};

// Whether `value` was read from the vtable slot of an object, so that it points at a vtable.
bool is_vtable(const llvm::Value* value) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value->stripInBoundsConstantOffsets());
  const llvm::MDNode* const tag = load ? load->getMetadata(llvm::LLVMContext::MD_tbaa) : nullptr;
  return tag && tag->isTBAAVtableAccess();
}

bool reads_vtable(const Access& access) {
  if (access.kind != WEAVEFUZZ_Read) return false;
  const llvm::MDNode* const tag = access.instruction->getMetadata(llvm::LLVMContext::MD_tbaa);
  return (tag && tag->isTBAAVtableAccess()) || is_vtable(access.address);
}

// Answers why an access of one function needs no hook.
class Skipper {
 public:
  explicit Skipper(const llvm::Function& function)
      // Before it is split, a coroutine's variables still look like the stack's.
      : stack_is_local_(!function.isPresplitCoroutine()) {}

  std::optional<weavefuzz_skip_reason> reason(const Access& access) {
    if (access.instruction->hasMetadata(llvm::LLVMContext::MD_nosanitize)) return WEAVEFUZZ_SKIP_COMPILER;
    if (!access.address) return std::nullopt;
    if (access.address->isSwiftError() || access.address->getType()->getPointerAddressSpace() != 0)
      return WEAVEFUZZ_SKIP_COMPILER;
    if (access.instruction->hasMetadata(llvm::LLVMContext::MD_invariant_load) || reads_vtable(access))
      return WEAVEFUZZ_SKIP_CONSTANT;

    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(access.address, objects);
    std::optional<weavefuzz_skip_reason> all;
    for (const llvm::Value* object : objects) {
      const std::optional<weavefuzz_skip_reason> one = reason_for_object(object);
      if (!one) return std::nullopt;
      all = one;
    }
    return all;
  }

 private:
  std::optional<weavefuzz_skip_reason> reason_for_object(const llvm::Value* object) {
    if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
      if (is_tool_data(*global)) return WEAVEFUZZ_SKIP_COMPILER;
      if (global->isConstant()) return WEAVEFUZZ_SKIP_CONSTANT;
      return std::nullopt;
    }
    if (is_local(object)) return WEAVEFUZZ_SKIP_LOCAL;
    return std::nullopt;
  }

  bool is_local(const llvm::Value* object) {
    const auto* argument = llvm::dyn_cast<llvm::Argument>(object);
    const bool on_stack = llvm::isa<llvm::AllocaInst>(object) || (argument && argument->hasByValAttr());
    if (!on_stack || !stack_is_local_) return false;
    const auto [found, is_new] = local_.try_emplace(object, false);
    if (is_new) found->second = !may_escape(object);
    return found->second;
  }

  bool stack_is_local_;
  llvm::DenseMap<const llvm::Value*, bool> local_;
};

// The functions that carry __attribute__((annotate("weavefuzz_ignore"))).
llvm::SmallPtrSet<const llvm::Function*, 8> annotated_functions(const llvm::Module& module) {
  llvm::SmallPtrSet<const llvm::Function*, 8> functions;
  const llvm::GlobalVariable* const table = module.getNamedGlobal("llvm.global.annotations");
  if (!table || !table->hasInitializer()) return functions;
  for (const llvm::Use& row : table->getInitializer()->operands()) {
    const auto* fields = llvm::dyn_cast<llvm::ConstantStruct>(row);
    if (!fields || fields->getNumOperands() < 2) continue;
    const auto* function = llvm::dyn_cast<llvm::Function>(fields->getOperand(0)->stripPointerCasts());
    const auto* text = llvm::dyn_cast<llvm::GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    if (!function || !text || !text->hasInitializer()) continue;
    const auto* characters = llvm::dyn_cast<llvm::ConstantDataArray>(text->getInitializer());
    if (characters && characters->isCString() && characters->getAsCString() == kIgnoreAnnotation)
      functions.insert(function);
  }
  return functions;
}

}  // namespace

Selector::Selector(const llvm::Module& module, IgnoreList& ignore_list)
    : ignore_list_(ignore_list),
      module_is_ignored_(ignore_list.matches_source(module.getSourceFileName())),
      annotated_(annotated_functions(module)) {
  for (const llvm::Function* function : annotated_)
    if (function->getSubprogram()) annotated_subprograms_.insert(function->getSubprogram());
}

bool Selector::is_ignored(const llvm::Function& function) {
  return module_is_ignored_ || function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation) ||
         annotated_.contains(&function) || ignore_list_.matches_function(function.getName()) ||
         (function.getSubprogram() && ignore_list_.matches(*function.getSubprogram()));
}

bool Selector::is_inlined_from_ignored(const llvm::Instruction& instruction) {
  const llvm::DILocation* at = instruction.getDebugLoc();
  for (; at && at->getInlinedAt(); at = at->getInlinedAt()) {
    const llvm::DISubprogram* const subprogram = at->getScope()->getSubprogram();
    if (subprogram && (annotated_subprograms_.contains(subprogram) || ignore_list_.matches(*subprogram))) return true;
  }
  return false;
}

Selection Selector::select(llvm::Function& function) {
  Selection selection;
  selection.ignored = true;
  if (function.isDeclarationForLinker() || function.hasFnAttribute(llvm::Attribute::Naked)) return selection;

  const bool generated = is_generated(function);
  const bool ignored = !generated && is_ignored(function);
  selection.ignored = generated || ignored;
  AccessLister lister(function.getParent()->getDataLayout());
  Skipper skipper(function);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::SmallVector<Access, 2> accesses = lister.list(instruction);
    for (const Access& access : accesses) {
      std::optional<weavefuzz_skip_reason> reason;
      if (generated)
        reason = WEAVEFUZZ_SKIP_COMPILER;
      else if (ignored || is_inlined_from_ignored(instruction))
        reason = WEAVEFUZZ_SKIP_IGNORED;
      else
        reason = skipper.reason(access);
      if (reason)
        ++selection.skipped[*reason];
      else
        selection.accesses.push_back(access);
    }
  }
  return selection;
}

}  // namespace weavefuzz::pass
