// insert.h - puts calls to the hooks into functions. Decides nothing.
#pragma once

#include "instrumentation/pass/select.h"

namespace llvm {
class Constant;
}  // namespace llvm

namespace weavefuzz::pass {

// Calls __weavefuzz_access right before the access.
void insert_access_hook(const Access& access, llvm::Constant* site);

// Calls __weavefuzz_enter on entry, and __weavefuzz_exit before each return and when an exception
// leaves the function.
void insert_context_hooks(llvm::Function& function, llvm::Constant* site);

}  // namespace weavefuzz::pass
