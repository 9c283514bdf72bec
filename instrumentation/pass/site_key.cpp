#include "instrumentation/pass/site_key.h"

#include <string>

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

namespace weavefuzz::pass {
namespace {

constexpr std::uint32_t kFirstReservedKey = 0xFFFFFF00;

}  // namespace

std::uint32_t SiteKeys::next(const llvm::Function& function, weavefuzz_event_kind kind, llvm::StringRef variable) {
  std::string text = function.getName().str();
  // Two files may each have their own. The directory stays out: it differs between machines.
  if (function.hasLocalLinkage())
    text += '\0' + llvm::sys::path::filename(function.getParent()->getSourceFileName()).str();
  text += '\0' + std::to_string(kind) + '\0' + variable.str();
  text += '\0' + std::to_string(ordinals_[text]++);
  for (;;) {
    const auto key = static_cast<std::uint32_t>(llvm::xxh3_64bits(llvm::StringRef(text)));
    const bool usable = key != 0 && key < kFirstReservedKey;
    // The set's own reserved values, 0xFFFFFFFF and 0xFFFFFFFE, are among those never inserted.
    if (usable && taken_.insert(key).second) return key;
    text += '+';
  }
}

}  // namespace weavefuzz::pass
