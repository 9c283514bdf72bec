#include "instrumentation/pass/debug_types.h"

#include <optional>

#include "instrumentation/pass/source_location.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

namespace weavefuzz::pass {
namespace {

namespace dwarf = llvm::dwarf;

// A type that contains itself by value cannot be, but metadata may be broken.
constexpr int kMaxDepth = 16;

const llvm::DIType* without_qualifiers(const llvm::DIType* type) {
  for (int depth = 0; type && depth < kMaxDepth; ++depth) {
    const auto* derived = llvm::dyn_cast<llvm::DIDerivedType>(type);
    if (!derived) return type;
    switch (derived->getTag()) {
      case dwarf::DW_TAG_typedef:
      case dwarf::DW_TAG_const_type:
      case dwarf::DW_TAG_volatile_type:
      case dwarf::DW_TAG_restrict_type:
      case dwarf::DW_TAG_atomic_type:
      case dwarf::DW_TAG_template_alias: type = derived->getBaseType(); break;
      default: return type;
    }
  }
  return nullptr;
}

bool is_array(const llvm::DICompositeType& type) { return type.getTag() == dwarf::DW_TAG_array_type; }

std::uint64_t bytes_of(const llvm::DIType* type) {
  type = without_qualifiers(type);
  return type ? type->getSizeInBits() / 8 : 0;
}

std::string without_template_arguments(llvm::StringRef name) {
  return name.starts_with("operator") ? name.str() : name.split('<').first.str();
}

std::string qualified(const llvm::DIScope* scope, std::string name) {
  for (; scope; scope = scope->getScope()) {
    if (!llvm::isa<llvm::DINamespace, llvm::DICompositeType>(scope)) break;
    // Neither unnamed nor inline namespaces such as std::__cxx11 mean anything to a reader.
    if (const auto* space = llvm::dyn_cast<llvm::DINamespace>(scope))
      if (space->getName().empty() || space->getExportSymbols()) continue;
    name.insert(0, without_template_arguments(scope->getName()).append("::"));
  }
  return name;
}

struct Wanted {
  std::uint64_t size;  // bytes that the member must hold
  bool into_system;    // look into the standard library's types too
};

std::optional<MemberPath> find_member(const llvm::DICompositeType& type, std::uint64_t offset, Wanted wanted,
                                      int depth);

// Goes on inside `path.type`.
MemberPath descend(MemberPath path, std::uint64_t offset, Wanted wanted, int depth) {
  path.offset = offset;
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(without_qualifiers(path.type));
  if (!composite || depth > kMaxDepth) return path;
  if (is_array(*composite)) {
    const std::uint64_t element = bytes_of(composite->getBaseType());
    if (element == 0 || wanted.size > element) return path;
    return descend({path.text + "[]", composite->getBaseType(), path.owner, 0}, offset % element, wanted, depth + 1);
  }
  if (is_system_type(*composite) && !wanted.into_system) return path;
  std::optional<MemberPath> member = find_member(*composite, offset, wanted, depth + 1);
  if (!member) return path;
  // A program's own type inside the library's, such as the closure that a thread runs.
  const bool enters_program =
      path.owner && is_system_type(*path.owner) && member->owner && !is_system_type(*member->owner);
  if (enters_program) return *member;
  member->text.insert(0, path.text);
  if (path.owner) member->owner = path.owner;
  return *member;
}

std::optional<MemberPath> try_member(const llvm::DICompositeType& owner, const llvm::DIDerivedType& member,
                                     std::uint64_t offset, Wanted wanted, int depth) {
  const std::uint64_t begin = member.getOffsetInBits() / 8;
  const llvm::DIType* const type = member.getBaseType();
  const std::uint64_t extent = std::max(bytes_of(type), (member.getSizeInBits() + 7) / 8);
  if (offset < begin || offset - begin >= extent || wanted.size > extent - (offset - begin)) return std::nullopt;
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(without_qualifiers(type));
  const bool is_base = member.getTag() == dwarf::DW_TAG_inheritance;
  if (is_base || member.getName().empty()) {
    if (!composite) return std::nullopt;
    std::optional<MemberPath> inner = find_member(*composite, offset - begin, wanted, depth + 1);
    // To the program, the members of an anonymous union are those of the class around it.
    if (inner && !is_base) inner->owner = &owner;
    return inner;
  }
  if (member.getName().starts_with("_vptr")) return MemberPath{".vptr", type, &owner, 0};
  return descend({("." + member.getName()).str(), type, &owner, 0}, offset - begin, wanted, depth + 1);
}

std::optional<MemberPath> find_member(const llvm::DICompositeType& type, std::uint64_t offset, Wanted wanted,
                                      int depth) {
  if (depth > kMaxDepth) return std::nullopt;
  std::optional<MemberPath> best;
  for (const llvm::DINode* element : type.getElements()) {
    const auto* member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(element);
    if (!member || member->isStaticMember()) continue;
    const bool is_virtual_base = member->getTag() == dwarf::DW_TAG_inheritance && member->isVirtual();
    if (is_virtual_base || (member->getTag() != dwarf::DW_TAG_member && member->getTag() != dwarf::DW_TAG_inheritance))
      continue;
    std::optional<MemberPath> found = try_member(type, *member, offset, wanted, depth);
    if (!found) continue;
    // Of the members of a union, take the one that is as large as the access.
    if (bytes_of(found->type) == wanted.size) return found;
    if (!best) best = std::move(found);
  }
  return best;
}

}  // namespace

DebugTypes::DebugTypes(const llvm::Module& module) {
  if (module.debug_compile_units().empty()) return;
  llvm::DebugInfoFinder finder;
  finder.processModule(module);
  for (const llvm::DIType* type : finder.types()) {
    const auto* composite = llvm::dyn_cast<llvm::DICompositeType>(type);
    if (!composite || composite->isForwardDecl()) continue;
    const std::string name = qualified(composite->getScope(), without_template_arguments(composite->getName()));
    if (!composite->getIdentifier().empty())
      by_identifier_.try_emplace(composite->getIdentifier(), composite);
    else if (!name.empty())
      by_identifier_.try_emplace(name, composite);
    if (!name.empty()) by_name_[name].push_back(composite);
  }
}

const llvm::DICompositeType* DebugTypes::by_identifier(llvm::StringRef identifier) const {
  return by_identifier_.lookup(identifier);
}

llvm::ArrayRef<const llvm::DICompositeType*> DebugTypes::by_name(llvm::StringRef name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return {};
  return found->second;
}

MemberPath member_at(const llvm::DIType* type, std::uint64_t offset, std::uint64_t size, bool into_system) {
  const llvm::DICompositeType* const root = class_of(type);
  const bool from_system = root && is_system_type(*root);
  return descend({"", type, nullptr, 0}, offset, {size, into_system && from_system}, 0);
}

bool is_pointer_or_reference(const llvm::DIType* type) {
  type = without_qualifiers(type);
  return type && (type->getTag() == dwarf::DW_TAG_pointer_type || is_reference(type));
}

const llvm::DIType* pointee_of(const llvm::DIType* type) {
  if (!is_pointer_or_reference(type)) return nullptr;
  return llvm::cast<llvm::DIDerivedType>(without_qualifiers(type))->getBaseType();
}

bool is_reference(const llvm::DIType* type) {
  type = without_qualifiers(type);
  return type &&
         (type->getTag() == dwarf::DW_TAG_reference_type || type->getTag() == dwarf::DW_TAG_rvalue_reference_type);
}

const llvm::DICompositeType* class_of(const llvm::DIType* type) {
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(without_qualifiers(type));
  return composite && !is_array(*composite) ? composite : nullptr;
}

bool is_system_type(const llvm::DICompositeType& type) {
  for (const llvm::DIScope* scope = type.getScope(); scope; scope = scope->getScope())
    if (const auto* space = llvm::dyn_cast<llvm::DINamespace>(scope))
      if (space->getName() == "std" || space->getName() == "__gnu_cxx") return true;
  return type.getFile() && is_system_path(type.getFile()->getFilename());
}

std::string type_name(const llvm::DICompositeType& type) {
  if (type.getName().empty()) return {};
  return qualified(type.getScope(),
                   is_system_type(type) ? without_template_arguments(type.getName()) : type.getName().str());
}

const llvm::DIType* library_target_of(const llvm::DICompositeType& type, std::uint64_t offset) {
  struct Holder {
    llvm::StringRef name;
    bool only_first = true;   // what else it holds points elsewhere
    bool of_pointer = false;  // the template's argument is the pointer itself
  };
  constexpr Holder kHolders[] = {{.name = "vector", .only_first = false},
                                 {.name = "array", .only_first = false},
                                 {.name = "unique_ptr"},
                                 {.name = "shared_ptr"},
                                 {.name = "span"},
                                 {.name = "basic_string"},
                                 {.name = "atomic", .of_pointer = true},
                                 {.name = "__normal_iterator", .of_pointer = true}};
  const llvm::StringRef name = type.getName().split('<').first;
  for (const Holder& holder : kHolders) {
    if (name != holder.name || (holder.only_first && offset != 0)) continue;
    for (const llvm::DITemplateParameter* parameter : type.getTemplateParams())
      if (llvm::isa_and_nonnull<llvm::DITemplateTypeParameter>(parameter))
        return holder.of_pointer ? pointee_of(parameter->getType()) : parameter->getType();
  }
  return nullptr;
}

std::string name_with_owner(const MemberPath& path) {
  const std::string owner = path.owner ? type_name(*path.owner) : "";
  const std::string member = path.text.substr(1);
  return owner.empty() ? member : owner + "::" + member;
}

std::string source_name_of_structure(llvm::StringRef name) {
  bool is_type = false;
  for (llvm::StringRef prefix : {"struct.", "class.", "union."}) is_type = is_type || name.consume_front(prefix);
  if (!is_type) return {};
  // Clang tells types with equal names apart by a number, and has a second type for bases.
  const auto [stem, number] = name.rsplit('.');
  if (!number.empty() && number.find_first_not_of("0123456789") == llvm::StringRef::npos) name = stem;
  name.consume_back(".base");
  if (name == "anon") return {};
  std::string result;
  while (!name.empty()) {
    const auto [part, rest] = name.split("::");
    // The library's inline namespaces (std::__cxx11, std::__n4861), as in type_name.
    const bool is_inline = result == "std::" && part.starts_with("__") && !rest.empty();
    if (!is_inline) result += part.str() + (rest.empty() ? "" : "::");
    name = rest;
  }
  return result;
}

}  // namespace weavefuzz::pass
