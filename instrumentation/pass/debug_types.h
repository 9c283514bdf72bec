// debug_types.h - finds source types and their members by place in memory.
#pragma once

#include <cstdint>
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class DICompositeType;
class DIType;
class Module;
}  // namespace llvm

namespace weavefuzz::pass {

// The classes, structs and unions that a module's debug information describes.
class DebugTypes {
 public:
  explicit DebugTypes(const llvm::Module& module);

  // `identifier` as in type-based alias tags: `_ZTS7Account`, in C `Account`. Null if unknown.
  const llvm::DICompositeType* by_identifier(llvm::StringRef identifier) const;

  // All instances, if `name`, which has no template arguments, is that of a template.
  llvm::ArrayRef<const llvm::DICompositeType*> by_name(llvm::StringRef name) const;

 private:
  llvm::StringMap<const llvm::DICompositeType*> by_identifier_;
  llvm::StringMap<llvm::SmallVector<const llvm::DICompositeType*, 1>> by_name_;
};

// A size for an access that may cover any number of bytes.
inline constexpr std::uint64_t kAnySize = ~std::uint64_t{0};

// How a program reaches some bytes of an object: `.balance`, `[].limit`; empty: the object itself.
struct MemberPath {
  std::string text;
  const llvm::DIType* type = nullptr;            // of what `text` names
  const llvm::DICompositeType* owner = nullptr;  // declares the first member in `text`
  std::uint64_t offset = 0;                      // in `type`
};

// The innermost member of `type` that holds `size` bytes at `offset`. Members of the standard
// library's types are left out unless `type` itself is one and `into_system` is set.
MemberPath member_at(const llvm::DIType* type, std::uint64_t offset, std::uint64_t size, bool into_system);

// These look behind typedefs and qualifiers.
bool is_reference(const llvm::DIType* type);
bool is_pointer_or_reference(const llvm::DIType* type);
const llvm::DIType* pointee_of(const llvm::DIType* type);  // null if it is neither, or void

// The class behind typedefs and qualifiers; null if it is none.
const llvm::DICompositeType* class_of(const llvm::DIType* type);
bool is_system_type(const llvm::DICompositeType& type);

// What a pointer at `offset` in an object of the library's `type` points to: a vector's elements,
// the target of a unique_ptr. Null if that is not known.
const llvm::DIType* library_target_of(const llvm::DICompositeType& type, std::uint64_t offset);

// `bank::Account`; without template arguments for types of the standard library; empty for a
// closure or an unnamed type.
std::string type_name(const llvm::DICompositeType& type);

// `Account::balance`, or just `balance` if the owner has no name.
// REQUIRES: `path` begins with a member.
std::string name_with_owner(const MemberPath& path);

// `Account` for `class.Account.3`, the name that a structure has in LLVM's intermediate language.
std::string source_name_of_structure(llvm::StringRef name);

}  // namespace weavefuzz::pass
