// local_variables.h - where debug information says that a function's variables live.
#pragma once

#include <cstdint>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class DIExpression;
class DILocalVariable;
class DbgVariableRecord;
class Function;
class Value;
}  // namespace llvm

namespace weavefuzz::pass {

// A variable that debug information puts at `offset` behind a base address.
struct LocalVariable {
  const llvm::DILocalVariable* variable = nullptr;
  std::uint64_t offset = 0;
  bool is_address = false;    // the base is where it lives, not what it holds
  bool through_load = false;  // the base is a slot that holds the address it lives at
  int rank = 0;               // of several at one base, the lowest names it best
};

class LocalVariables {
 public:
  explicit LocalVariables(const llvm::Function& function);

  // Those with this base, the best first.
  llvm::ArrayRef<LocalVariable> at(const llvm::Value* base) const;

 private:
  void add(llvm::DbgVariableRecord& record);
  void add(const llvm::DbgVariableRecord& record, const llvm::Value* base, const llvm::DIExpression& expression,
           bool is_address);
  void add(const llvm::Value* base, const LocalVariable& local);

  llvm::DenseMap<const llvm::Value*, llvm::SmallVector<LocalVariable, 2>> by_base_;
};

// What a stack slot holds at all times, if it is written once only; else null.
const llvm::Value* only_value_of(const llvm::Value* slot);

}  // namespace weavefuzz::pass
