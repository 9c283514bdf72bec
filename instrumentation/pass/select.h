// select.h - which accesses of a function other threads may see. Changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "instrumentation/abi/hooks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class DISubprogram;
class Function;
class Instruction;
class Module;
class Value;
}  // namespace llvm

namespace weavefuzz::pass {

class IgnoreList;

struct Access {
  llvm::Instruction* instruction = nullptr;
  llvm::Value* address = nullptr;  // null: none, or not known (fence, pause, inline asm, gather)
  weavefuzz_event_kind kind = WEAVEFUZZ_Read;
  std::uint64_t size = 0;         // bytes; 0: none, or known only at run time
  llvm::Value* length = nullptr;  // the run-time size, an integer
};

struct Selection {
  std::vector<Access> accesses;  // in program order
  std::array<std::uint32_t, WEAVEFUZZ_SKIP_REASONS> skipped{};
  bool ignored = false;  // the whole function is left alone
};

class Selector {
 public:
  Selector(const llvm::Module& module, IgnoreList& ignore_list);

  Selection select(llvm::Function& function);

 private:
  bool is_ignored(const llvm::Function& function);
  bool is_inlined_from_ignored(const llvm::Instruction& instruction);

  IgnoreList& ignore_list_;
  bool module_is_ignored_;
  llvm::SmallPtrSet<const llvm::Function*, 8> annotated_;
  llvm::SmallPtrSet<const llvm::DISubprogram*, 8> annotated_subprograms_;
};

}  // namespace weavefuzz::pass
