#include "instrumentation/pass/options.h"

#include <vector>

#include "instrumentation/pass/source_location.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SpecialCaseList.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace weavefuzz::pass {
namespace {

llvm::cl::list<std::string> ignore_list_paths(
    "weavefuzz-ignore-list", llvm::cl::desc("Leave alone what this special case list names (section [weavefuzz])"),
    llvm::cl::value_desc("file"));

llvm::cl::opt<bool> context("weavefuzz-context", llvm::cl::desc("Tell the runtime of function entry and exit"));

llvm::cl::opt<bool> stats("weavefuzz-stats", llvm::cl::desc("Print how many accesses were instrumented and skipped"));

constexpr llvm::StringRef kSection = "weavefuzz";

}  // namespace

bool wants_context() { return context; }
bool wants_stats() { return stats; }

IgnoreList::IgnoreList() = default;
IgnoreList::~IgnoreList() = default;

std::unique_ptr<IgnoreList> IgnoreList::load(std::string& error) {
  std::unique_ptr<IgnoreList> list(new IgnoreList);
  const std::vector<std::string> paths(ignore_list_paths.begin(), ignore_list_paths.end());
  if (paths.empty()) return list;
  list->entries_ = llvm::SpecialCaseList::create(paths, *llvm::vfs::getRealFileSystem(), error);
  return list->entries_ ? std::move(list) : nullptr;
}

bool IgnoreList::matches_function(llvm::StringRef symbol) const {
  if (!entries_) return false;
  return entries_->inSection(kSection, "fun", symbol) ||
         entries_->inSection(kSection, "fun", llvm::demangle(symbol.str())) ||
         entries_->inSection(kSection, "fun", function_name(symbol));
}

bool IgnoreList::matches_source(llvm::StringRef path) const {
  return entries_ && entries_->inSection(kSection, "src", path);
}

bool IgnoreList::matches(const llvm::DISubprogram& subprogram) {
  if (!entries_) return false;
  const auto [found, is_new] = seen_.try_emplace(&subprogram, false);
  if (!is_new) return found->second;
  const llvm::StringRef symbol =
      subprogram.getLinkageName().empty() ? subprogram.getName() : subprogram.getLinkageName();
  const bool ignored = matches_function(symbol) || matches_source(file_name(subprogram.getFile(), &subprogram));
  seen_[&subprogram] = ignored;
  return ignored;
}

}  // namespace weavefuzz::pass
