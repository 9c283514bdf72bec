// variable_name.h - what a person calls the memory that an access touches.
#pragma once

#include <memory>
#include <string>

#include "instrumentation/pass/select.h"

namespace weavefuzz::pass {

// Best effort, from debug information, types and type-based alias tags.
class VariableNamer {
 public:
  explicit VariableNamer(const llvm::Module& module);
  ~VariableNamer();

  // `hits`, `bank.balance`, `Account::balance`, `counts[]`, `*p`; empty if nothing is known.
  // REQUIRES: all accesses of a function are asked for before the function changes.
  std::string name(const Access& access);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weavefuzz::pass
