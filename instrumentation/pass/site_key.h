// site_key.h - names a site by a number that survives unrelated edits of the source.
#pragma once

#include <cstdint>

#include "instrumentation/abi/hooks.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
}

namespace weavefuzz::pass {

// Hands out keys, unique within a module, for its sites in program order.
class SiteKeys {
 public:
  std::uint32_t next(const llvm::Function& function, weavefuzz_event_kind kind, llvm::StringRef variable);

 private:
  llvm::StringMap<std::uint32_t> ordinals_;  // sites so far with the same function, kind, variable
  llvm::DenseSet<std::uint32_t> taken_;
};

}  // namespace weavefuzz::pass
