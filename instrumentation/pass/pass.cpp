#include "instrumentation/pass/pass.h"

#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "instrumentation/pass/insert.h"
#include "instrumentation/pass/options.h"
#include "instrumentation/pass/select.h"
#include "instrumentation/pass/site_key.h"
#include "instrumentation/pass/site_table.h"
#include "instrumentation/pass/source_location.h"
#include "instrumentation/pass/thread_locals.h"
#include "instrumentation/pass/variable_name.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace weavefuzz::pass {
namespace {

// Says that a module is done: a plugin that is loaded twice must not hook its own hooks.
constexpr char kDoneFlag[] = "weavefuzz";

void print_stats(const llvm::Module& module, const Counts& counts) {
  const auto& skipped = counts.skipped;
  const std::uint32_t all = std::accumulate(skipped.begin(), skipped.end(), counts.instrumented);
  llvm::errs() << "weavefuzz: " << module.getSourceFileName() << ": " << all << " accesses, " << counts.instrumented
               << " instrumented, skipped " << skipped[WEAVEFUZZ_SKIP_LOCAL] << " local, "
               << skipped[WEAVEFUZZ_SKIP_CONSTANT] << " constant, " << skipped[WEAVEFUZZ_SKIP_COMPILER] << " compiler, "
               << skipped[WEAVEFUZZ_SKIP_IGNORED] << " ignored\n";
}

class Instrumenter {
 public:
  Instrumenter(llvm::Module& module, IgnoreList& ignore_list)
      : module_(module), selector_(module, ignore_list), namer_(module), table_(module) {}

  void run() {
    std::vector<llvm::Function*> functions;
    for (llvm::Function& function : module_) functions.push_back(&function);
    for (llvm::Function* function : functions) instrument(*function);
    table_.finish(counts_, emit_thread_local_reset(module_));
    if (wants_stats()) print_stats(module_, counts_);
  }

 private:
  void instrument(llvm::Function& function) {
    const Selection selection = selector_.select(function);
    counts_.instrumented += selection.accesses.size();
    for (std::size_t i = 0; i < selection.skipped.size(); ++i) counts_.skipped[i] += selection.skipped[i];

    std::vector<Site> sites;
    for (const Access& access : selection.accesses) sites.push_back(describe(access));
    const bool with_context = wants_context() && !selection.ignored;
    if (with_context) sites.push_back(describe_entry(function));
    const std::vector<llvm::Constant*> addresses = table_.add(function, sites);

    for (std::size_t i = 0; i < selection.accesses.size(); ++i) insert_access_hook(selection.accesses[i], addresses[i]);
    if (with_context) insert_context_hooks(function, addresses.back());
  }

  Site describe(const Access& access) {
    Site site;
    site.location = locate(*access.instruction);
    site.variable = namer_.name(access);
    site.kind = access.kind;
    if (access.size <= std::numeric_limits<std::uint32_t>::max()) site.size = access.size;
    site.key = keys_.next(*access.instruction->getFunction(), site.kind, site.variable);
    return site;
  }

  Site describe_entry(const llvm::Function& function) {
    Site site;
    site.location = locate(function);
    site.kind = WEAVEFUZZ_Enter;
    site.key = keys_.next(function, site.kind, {});
    return site;
  }

  llvm::Module& module_;
  Selector selector_;
  VariableNamer namer_;
  SiteKeys keys_;
  SiteTable table_;
  Counts counts_;
};

}  // namespace

llvm::PreservedAnalyses WeavefuzzPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (module.getModuleFlag(kDoneFlag)) return llvm::PreservedAnalyses::all();
  std::string error;
  const std::unique_ptr<IgnoreList> ignore_list = IgnoreList::load(error);
  if (!ignore_list) {
    module.getContext().emitError("weavefuzz: ignore list: " + error);
    return llvm::PreservedAnalyses::all();
  }
  module.addModuleFlag(llvm::Module::Max, kDoneFlag, WEAVEFUZZ_ABI_VERSION);
  Instrumenter(module, *ignore_list).run();
  return llvm::PreservedAnalyses::none();
}

}  // namespace weavefuzz::pass
