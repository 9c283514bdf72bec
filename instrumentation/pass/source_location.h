// source_location.h - where an instruction comes from, as a person would say it.
#pragma once

#include <cstdint>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace llvm {
class DIFile;
class DISubprogram;
class Function;
class Instruction;
}  // namespace llvm

namespace weavefuzz::pass {

struct SourceLocation {
  std::string function;  // demangled, without parameters
  std::string file;      // empty: unknown
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool in_system_header = false;
};

// Code inlined from a system header is reported at the caller's line, where there is one.
SourceLocation locate(const llvm::Instruction& instruction);
SourceLocation locate(const llvm::Function& function);

// `Account::deposit` for `_ZN7Account7depositEi`; a symbol that is not mangled stays as it is.
std::string function_name(llvm::StringRef symbol);

// The file as the compiler was told it. `inside` is a scope of the compile unit that uses it.
std::string file_name(const llvm::DIFile* file, const llvm::DISubprogram* inside);

bool is_system_path(llvm::StringRef path);

}  // namespace weavefuzz::pass
