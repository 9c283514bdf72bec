#include "instrumentation/pass/local_variables.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace weavefuzz::pass {

const llvm::Value* only_value_of(const llvm::Value* slot) {
  if (!llvm::isa<llvm::AllocaInst>(slot)) return nullptr;
  const llvm::Value* value = nullptr;
  for (const llvm::User* user : slot->users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (!store) continue;
    if (value || store->getValueOperand() == slot) return nullptr;
    value = store->getValueOperand();
  }
  return value;
}

LocalVariables::LocalVariables(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) add(record);
}

llvm::ArrayRef<LocalVariable> LocalVariables::at(const llvm::Value* base) const {
  const auto found = by_base_.find(base);
  if (found == by_base_.end()) return {};
  return found->second;
}

void LocalVariables::add(llvm::DbgVariableRecord& record) {
  if (record.isDbgAssign()) {
    const bool is_whole = record.getExpression()->getNumElements() == 0;
    if (is_whole && !record.isKillAddress()) add(record, record.getAddress(), *record.getAddressExpression(), true);
  } else if (!record.isKillLocation() && record.getNumVariableLocationOps() == 1) {
    add(record, record.getVariableLocationOp(0), *record.getExpression(), record.isDbgDeclare());
  }
}

void LocalVariables::add(const llvm::DbgVariableRecord& record, const llvm::Value* base,
                         const llvm::DIExpression& expression, bool is_address) {
  if (!base || !base->getType()->isPointerTy()) return;
  LocalVariable local{record.getVariable(), 0, is_address, false, 0};
  // Plain, or as in a coroutine's frame: [deref,] plus_uconst N.
  llvm::ArrayRef<std::uint64_t> steps = expression.getElements();
  if (!steps.empty() && steps[0] == llvm::dwarf::DW_OP_deref) {
    local.through_load = local.is_address;
    local.is_address = true;
    steps = steps.drop_front();
  }
  if (steps.size() == 2 && steps[0] == llvm::dwarf::DW_OP_plus_uconst) {
    if (!local.is_address) return;
    local.offset = steps[1];
    steps = {};
  }
  if (!steps.empty()) return;
  const bool is_inlined = record.getDebugLoc() && record.getDebugLoc()->getInlinedAt();
  local.rank = (local.is_address ? 0 : 4) + (is_inlined ? 2 : 0) + (local.variable->isArtificial() ? 1 : 0);
  add(base, local);
  // Optimised or not, a split coroutine reaches its frame through the value in the slot.
  if (!local.through_load) return;
  if (const llvm::Value* frame = only_value_of(base)) {
    local.through_load = false;
    add(frame, local);
  }
}

void LocalVariables::add(const llvm::Value* base, const LocalVariable& local) {
  llvm::SmallVector<LocalVariable, 2>& all = by_base_[base];
  all.insert(llvm::find_if(all, [&](const LocalVariable& other) { return other.rank > local.rank; }), local);
}

}  // namespace weavefuzz::pass
