// site_table.h - the records that an object file carries about its sites, and how they reach the
// runtime.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/abi/hooks.h"
#include "instrumentation/pass/source_location.h"
#include "llvm/ADT/StringMap.h"

namespace llvm {
class Constant;
class Function;
class GlobalValue;
class GlobalVariable;
class Module;
class StructType;
}  // namespace llvm

namespace weavefuzz::pass {

struct Site {
  SourceLocation location;
  std::string variable;  // empty: unknown
  std::uint32_t key = 0;
  weavefuzz_event_kind kind = WEAVEFUZZ_Read;
  std::uint32_t size = 0;
};

struct Counts {
  std::uint32_t instrumented = 0;
  std::array<std::uint32_t, WEAVEFUZZ_SKIP_REASONS> skipped{};
};

class SiteTable {
 public:
  explicit SiteTable(llvm::Module& module);

  // Writes the records of one function; the result holds the address of each, in order.
  std::vector<llvm::Constant*> add(llvm::Function& function, const std::vector<Site>& sites);

  // Writes the record of the module and the constructor that registers all records. Call it once,
  // last. `reset_thread_locals` may be null.
  void finish(const Counts& counts, llvm::Function* reset_thread_locals);

 private:
  llvm::Constant* string(llvm::StringRef text);
  llvm::Constant* distance(llvm::Constant* record, llvm::StringRef text);
  void emit_constructor();

  llvm::Module& module_;
  llvm::StructType* site_type_;
  llvm::StringMap<llvm::Constant*> strings_;
  std::vector<llvm::GlobalValue*> arrays_;  // of sites
};

// Neither redzones, nor hooks of other tools, nor coverage for what we generate.
void hide_from_sanitizers(llvm::GlobalVariable& variable);
void hide_from_sanitizers(llvm::Function& function);

}  // namespace weavefuzz::pass
