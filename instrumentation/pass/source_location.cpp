#include "instrumentation/pass/source_location.h"

#include <cstdlib>

#include "llvm/ADT/SmallString.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

namespace weavefuzz::pass {
namespace {

// The index behind the parenthesis that closes the one at `open`; npos if none does.
std::size_t close_of(llvm::StringRef text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return llvm::StringRef::npos;
}

// Takes the parameter lists out of the middle of a name: `f(int)::g` becomes `f::g`.
std::string without_parameters(llvm::StringRef name) {
  std::string result;
  int angle_depth = 0;
  for (std::size_t i = 0; i < name.size();) {
    const llvm::StringRef rest = name.drop_front(i);
    for (llvm::StringRef kept : {"(anonymous namespace)", "operator()", "operator<<", "operator<=>",
                                 "operator<=", "operator<", "operator->", "operator>>", "operator>=", "operator>"}) {
      if (!rest.starts_with(kept)) continue;
      result += kept;
      i += kept.size();
      break;
    }
    if (rest.data() != name.data() + i) continue;
    if (name[i] == '<') ++angle_depth;
    if (name[i] == '>') --angle_depth;
    const std::size_t end = name[i] == '(' && angle_depth == 0 ? close_of(name, i) : i;
    if (end == llvm::StringRef::npos) return name.str();
    if (end == i) {
      result += name[i++];
      continue;
    }
    i = end;
    for (llvm::StringRef qualifier : {" const", " volatile", " &&", " &"})
      if (name.drop_front(i).starts_with(qualifier)) i += qualifier.size();
  }
  return result;
}

// Clang numbers lambdas `$_0` or `'lambda'`, `'lambda0'`, ...: neither means much to a person.
std::string with_readable_lambdas(std::string name) {
  const auto replace = [&name](llvm::StringRef marker, llvm::StringRef terminator) {
    std::size_t at = 0;
    while ((at = name.find(marker.str(), at)) != std::string::npos) {
      std::size_t end = at + marker.size();
      while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
      if (!llvm::StringRef(name).drop_front(end).starts_with(terminator)) {
        at = end;
        continue;
      }
      end += terminator.size();
      name.replace(at, end - at, "{lambda}");
      at += 8;
    }
  };
  replace("$_", "");
  replace("'lambda", "'");
  const std::string call = "{lambda}::operator()";
  for (std::size_t at; (at = name.find(call)) != std::string::npos;) name.replace(at, call.size(), "{lambda}");
  return name;
}

std::string symbol_of(const llvm::DISubprogram& subprogram) {
  return (subprogram.getLinkageName().empty() ? subprogram.getName() : subprogram.getLinkageName()).str();
}

}  // namespace

std::string function_name(llvm::StringRef symbol) {
  // The demangler knows a suffix such as `.resume` only as "[clone]"; a person needs it less.
  const std::string mangled = (symbol.starts_with("_Z") ? symbol.split('.').first : symbol).str();
  llvm::ItaniumPartialDemangler demangler;  // keeps pointers into what it is given
  if (demangler.partialDemangle(mangled.c_str()) || !demangler.isFunction()) {
    const std::string whole = llvm::demangle(mangled);
    return whole == mangled ? symbol.str() : whole;
  }
  char* const buffer = demangler.getFunctionName(nullptr, nullptr);
  if (!buffer) return symbol.str();
  std::string name = with_readable_lambdas(without_parameters(buffer));
  std::free(buffer);
  return name;
}

bool is_system_path(llvm::StringRef path) {
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/") ||
         path.starts_with("/usr/local/include/") || path.contains("/include/c++/");
}

std::string file_name(const llvm::DIFile* file, const llvm::DISubprogram* inside) {
  if (!file) return {};
  const llvm::StringRef name = file->getFilename();
  const llvm::DICompileUnit* const unit = inside ? inside->getUnit() : nullptr;
  // Clang splits a path that shares a prefix with the working directory; put it together again,
  // but leave a name that was given relative to the working directory as it was given.
  if (llvm::sys::path::is_absolute(name) || file->getDirectory().empty() || !unit ||
      file->getDirectory() == unit->getDirectory())
    return name.str();
  llvm::SmallString<128> joined(file->getDirectory());
  llvm::sys::path::append(joined, name);
  return joined.str().str();
}

SourceLocation locate(const llvm::Instruction& instruction) {
  const llvm::DILocation* const innermost = instruction.getDebugLoc();
  if (!innermost) {
    SourceLocation location = locate(*instruction.getFunction());
    location.line = 0;
    return location;
  }
  const auto describe = [](const llvm::DILocation& at) {
    const llvm::DISubprogram* const subprogram = at.getScope()->getSubprogram();
    SourceLocation location;
    location.file = file_name(at.getFile(), subprogram);
    location.line = at.getLine();
    location.column = at.getColumn();
    if (subprogram) location.function = function_name(symbol_of(*subprogram));
    location.in_system_header = is_system_path(location.file);
    return location;
  };
  for (const llvm::DILocation* at = innermost; at; at = at->getInlinedAt()) {
    SourceLocation location = describe(*at);
    if (!location.in_system_header) return location;
  }
  return describe(*innermost);
}

SourceLocation locate(const llvm::Function& function) {
  SourceLocation location;
  location.function = function_name(function.getName());
  const llvm::DISubprogram* const subprogram = function.getSubprogram();
  if (subprogram) {
    location.file = file_name(subprogram->getFile(), subprogram);
    location.line = subprogram->getLine();
  } else {
    location.file = function.getParent()->getSourceFileName();
  }
  location.in_system_header = is_system_path(location.file);
  return location;
}

}  // namespace weavefuzz::pass
