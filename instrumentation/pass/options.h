// options.h - the pass's command line and the ignore list that it names.
#pragma once

#include <memory>
#include <string>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class DISubprogram;
class SpecialCaseList;
}  // namespace llvm

namespace weavefuzz::pass {

bool wants_context();  // -weavefuzz-context
bool wants_stats();    // -weavefuzz-stats

// What -weavefuzz-ignore-list names. Empty if the option is absent.
class IgnoreList {
 public:
  // On failure returns null and says why in `error`.
  static std::unique_ptr<IgnoreList> load(std::string& error);
  ~IgnoreList();

  // `symbol` as the linker sees it; `fun:` entries may also give the name as a person writes it.
  bool matches_function(llvm::StringRef symbol) const;
  bool matches_source(llvm::StringRef path) const;
  // By name or by file, for code that was inlined from `subprogram`.
  bool matches(const llvm::DISubprogram& subprogram);

 private:
  IgnoreList();
  std::unique_ptr<llvm::SpecialCaseList> entries_;
  llvm::DenseMap<const llvm::DISubprogram*, bool> seen_;
};

}  // namespace weavefuzz::pass
