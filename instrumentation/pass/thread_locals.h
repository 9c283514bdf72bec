// thread_locals.h - gives the thread_local variables of a module their initial values again.
#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace weavefuzz::pass {

// A function that does so for the calling thread; null if the module defines no such variable.
llvm::Function* emit_thread_local_reset(llvm::Module& module);

}  // namespace weavefuzz::pass
