// llvm_compat.h - the one place that knows that LLVM releases differ.
#pragma once

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

#if __has_include("llvm/Plugins/PassPlugin.h")
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

namespace weavefuzz::pass {

// Whether code outside the function may come to know the address of `object`, a local object.
template <class Value>
bool may_escape(const Value* object) {
  // Unoptimised code has hundreds of uses per variable; LLVM's own default gives up at 100.
  constexpr unsigned kMaxUses = 4000;
  if constexpr (requires { llvm::PointerMayBeCaptured(object, true, true, kMaxUses); })
    return llvm::PointerMayBeCaptured(object, /*ReturnCaptures=*/true, /*StoreCaptures=*/true, kMaxUses);
  else
    return llvm::PointerMayBeCaptured(object, /*ReturnCaptures=*/true, kMaxUses);
}

// A string in older releases, a Triple in newer ones.
inline llvm::Triple target_of(const llvm::Module& module) { return llvm::Triple(module.getTargetTriple()); }

}  // namespace weavefuzz::pass
