#include "instrumentation/pass/variable_name.h"

#include <cstdlib>
#include <optional>

#include "instrumentation/pass/debug_types.h"
#include "instrumentation/pass/local_variables.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace weavefuzz::pass {
namespace {

// An object, or a part of one, as far as debug information can tell.
struct Place {
  std::string name;                    // empty: only the type is known
  const llvm::DIType* type = nullptr;  // null: only the name is known
  bool through_pointer = false;        // `name` is that of a pointer to it
  std::uint64_t offset = 0;            // in `type`: less than the whole is meant
};

// The steps from a base address to the address that an access uses.
struct AddressPath {
  const llvm::Value* base = nullptr;
  std::uint64_t offset = 0;  // what is known of it
  bool varies = false;       // an index that is known only at run time was left out
  // The source's name for the structure of a step, and the offset in it. Closest to the access.
  std::string structure;
  std::uint64_t offset_in_structure = 0;
};

constexpr llvm::StringRef kCoroutineFrame = "coroutine frame";

// Whether `value` is what the parts of a split coroutine are called with.
bool is_coroutine_frame(const llvm::Value& value) {
  const auto* argument = llvm::dyn_cast<llvm::Argument>(&value);
  if (!argument || argument->getArgNo() != 0) return false;
  const llvm::StringRef function = argument->getParent()->getName();
  return function.ends_with(".resume") || function.ends_with(".destroy") || function.ends_with(".cleanup");
}

// `operator[]` for `std::vector<int>::operator[](unsigned long)`.
std::string base_name_of(const llvm::Function& function) {
  const std::string symbol = function.getName().str();
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(symbol.c_str())) return {};
  char* const buffer = demangler.getFunctionBaseName(nullptr, nullptr);
  const std::string name = buffer ? buffer : "";
  std::free(buffer);
  return name;
}

// The names of the standard library's own variables tell a user of it nothing.
bool is_reserved(llvm::StringRef name) {
  return name.starts_with("__") || (name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1]));
}

std::string global_name(const llvm::GlobalVariable& global) {
  if (!global.hasName() || global.getName().starts_with(".")) return {};
  const std::string name = llvm::demangle(global.getName().str());
  // `f(int)::count`: the function is known from elsewhere.
  const llvm::StringRef guard = "guard variable for ";
  const bool is_guard = llvm::StringRef(name).starts_with(guard);
  llvm::StringRef rest = llvm::StringRef(name).drop_front(is_guard ? guard.size() : 0);
  const std::size_t scope = rest.rfind(")::");
  if (scope != llvm::StringRef::npos) rest = rest.drop_front(scope + 3);
  return (is_guard ? guard.str() : "") + rest.str();
}

std::uint64_t size_of(const Access& access) { return access.length || access.size == 0 ? kAnySize : access.size; }

}  // namespace

class VariableNamer::Impl {
 public:
  explicit Impl(const llvm::Module& module) : layout_(module.getDataLayout()), types_(module) {}

  std::string name(const Access& access) {
    if (!access.address) return {};
    const llvm::Function* const function = access.instruction->getFunction();
    if (function != function_) {
      function_ = function;
      variables_.emplace(*function);
    }
    const std::optional<Place> place = describe(access.address, size_of(access), 0);
    // Behind a pointer to we do not know what, the type that the access itself tells says more.
    const bool is_guess = place && place->through_pointer && !place->type;
    if (place && !place->name.empty() && !is_guess) return place->name;
    std::string by_structure = name_by_structure(follow(access.address), size_of(access));
    if (!by_structure.empty()) return by_structure;
    std::string by_tag = name_by_alias_tag(access);
    return by_tag.empty() && place ? place->name : by_tag;
  }

 private:
  static constexpr int kMaxDepth = 8;

  AddressPath follow(const llvm::Value* address) const {
    AddressPath path;
    std::int64_t offset = 0;
    const auto* step = llvm::dyn_cast<llvm::GEPOperator>(address);
    for (; step; step = llvm::dyn_cast<llvm::GEPOperator>(address)) {
      for (auto index = llvm::gep_type_begin(step); index != llvm::gep_type_end(step); ++index) {
        const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index.getOperand());
        if (!constant) {
          path.varies = true;
        } else if (llvm::StructType* structure = index.getStructTypeOrNull()) {
          offset +=
              static_cast<std::int64_t>(layout_.getStructLayout(structure)->getElementOffset(constant->getZExtValue()));
        } else if (!index.getIndexedType()->isSized() ||
                   layout_.getTypeAllocSize(index.getIndexedType()).isScalable()) {
          path.varies = true;
        } else {
          offset += constant->getSExtValue() *
                    static_cast<std::int64_t>(layout_.getTypeAllocSize(index.getIndexedType()).getFixedValue());
        }
      }
      auto* const structure = llvm::dyn_cast<llvm::StructType>(step->getSourceElementType());
      if (structure && structure->hasName() && path.structure.empty() && offset >= 0) {
        path.structure = source_name_of_structure(structure->getName());
        path.offset_in_structure = static_cast<std::uint64_t>(offset);
      }
      address = step->getPointerOperand();
    }
    path.base = address;
    // Before its start, an object has no members; behaves like an unknown index.
    path.varies = path.varies || offset < 0;
    path.offset = offset < 0 ? 0 : static_cast<std::uint64_t>(offset);
    return path;
  }

  // What `size` bytes at `address` are part of.
  std::optional<Place> describe(const llvm::Value* address, std::uint64_t size, int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    AddressPath path = follow(address);
    std::optional<Place> root = root_of(path, depth);
    if (!root) return std::nullopt;
    const MemberPath member = member_at(root->type, path.offset, size, root->name.empty());
    if (root->through_pointer || root->name.empty()) return part_of_pointee(*root, path, member);
    const bool untyped_array = path.varies && member.text.empty() && size != kAnySize;
    return Place{root->name + member.text + (untyped_array ? "[]" : ""), member.type, false, member.offset};
  }

  static Place part_of_pointee(const Place& root, const AddressPath& path, const MemberPath& member) {
    if (member.owner && llvm::StringRef(member.text).starts_with("."))
      return {name_with_owner(member), member.type, false, member.offset};
    if (root.name.empty()) return {"", member.type, true, member.offset};
    const llvm::StringRef pointer = llvm::StringRef(root.name).drop_front();
    const bool is_array = path.varies || (path.offset != 0 && !class_of(root.type));
    const bool is_pointer = root.name[0] == '*';
    if (is_pointer && is_array && !pointer.ends_with("[]"))
      return {(pointer + "[]" + member.text).str(), member.type, !root.type, member.offset};
    return {root.name + member.text, member.type, is_pointer, member.offset};
  }

  // The object that the base of a path is the address of. May move the path's offset, if the
  // object does not begin there.
  std::optional<Place> root_of(AddressPath& path, int depth) {
    const llvm::Value* base = path.base;
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(base)) {
      switch (intrinsic->getIntrinsicID()) {
        case llvm::Intrinsic::threadlocal_address:
        case llvm::Intrinsic::launder_invariant_group:
        case llvm::Intrinsic::strip_invariant_group: return describe(intrinsic->getArgOperand(0), kAnySize, depth + 1);
        default: break;
      }
    }
    if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base)) return root_of(*global, path);
    for (const LocalVariable& local : variables_->at(base))
      if (std::optional<Place> place = place_of(local, path, false)) return place;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(base)) {
      for (const LocalVariable& local : variables_->at(load->getPointerOperand()))
        if (std::optional<Place> place = place_of(local, path, true)) return place;
      return behind_load(*load, path, depth);
    }
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(base)) return root_of(*phi, path, depth);
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(base)) return root_of(*call, depth);
    if (is_coroutine_frame(*base)) return Place{kCoroutineFrame.str(), nullptr, false};
    return std::nullopt;
  }

  // What the pointer that a call returns points to.
  std::optional<Place> root_of(const llvm::CallBase& call, int depth) {
    const llvm::Function* const callee = call.getCalledFunction();
    if (!callee) return std::nullopt;
    // An extern thread_local variable: the function makes sure that it is initialised.
    if (callee->getName().starts_with("_ZTW"))
      return Place{llvm::demangle(("_Z" + callee->getName().drop_front(4)).str()), nullptr, false};
    // The library's access functions, which stay calls in unoptimised code.
    const std::string function = base_name_of(*callee);
    const bool gives_element =
        function == "operator[]" || function == "at" || function == "front" || function == "back";
    const bool gives_target = function == "operator*" || function == "operator->";
    if ((!gives_element && !gives_target) || call.arg_empty()) return std::nullopt;
    const llvm::Value* const object = call.getArgOperand(0);
    if (!object->getType()->isPointerTy()) return std::nullopt;
    const std::optional<Place> holder = describe(object, 1, depth + 1);
    const llvm::DICompositeType* const type = holder ? class_of(holder->type) : nullptr;
    if (!type || holder->name.empty() || !is_system_type(*type)) return std::nullopt;
    const llvm::DIType* const target = library_target_of(*type, 0);
    if (gives_element) return Place{holder->name + "[]", target, false};
    return Place{("*" + llvm::Twine(holder->name)).str(), target, true};
  }

  std::optional<Place> root_of(const llvm::GlobalVariable& global, AddressPath& path) const {
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> described;
    global.getDebugInfo(described);
    if (described.empty()) {
      std::string name = global_name(global);
      if (name.empty()) return std::nullopt;
      return without_debug_type(std::move(name), global.getValueType(), path);
    }
    const llvm::DIGlobalVariable* const variable = described[0]->getVariable();
    std::string name = variable->getName().str();
    if (const llvm::DIDerivedType* member = variable->getStaticDataMemberDeclaration())
      if (const auto* type = llvm::dyn_cast_or_null<llvm::DICompositeType>(member->getScope()))
        if (const std::string owner = type_name(*type); !owner.empty()) name = owner + "::" + name;
    return Place{std::move(name), variable->getType(), false};
  }

  // An extern variable has no debug information of its own, but its type may.
  Place without_debug_type(std::string name, const llvm::Type* type, AddressPath& path) const {
    if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
      name += "[]";
      type = array->getElementType();
      const std::uint64_t element = layout_.getTypeAllocSize(array->getElementType()).getFixedValue();
      if (element != 0) path.offset %= element;
      path.varies = false;
    }
    const auto* structure = llvm::dyn_cast<llvm::StructType>(type);
    if (!structure || !structure->hasName()) return {std::move(name), nullptr, false};
    const auto candidates = types_.by_name(source_name_of_structure(structure->getName()));
    return {std::move(name), candidates.size() == 1 ? candidates[0] : nullptr, false};
  }

  // What the pointer that `load` reads points to.
  std::optional<Place> behind_load(const llvm::LoadInst& load, AddressPath& path, int depth) {
    const llvm::Value* const slot = load.getPointerOperand();
    const std::optional<Place> pointer = describe(slot, layout_.getPointerSize(), depth + 1);
    const bool is_named = pointer && !pointer->name.empty() && pointer->name != "this";
    // Code that was inlined without optimisation keeps `this` in a slot of its own.
    const llvm::Value* const value = is_named ? nullptr : only_value_of(slot);
    if (value && depth < kMaxDepth) {
      AddressPath whole = follow(value);
      whole.offset += path.offset;
      whole.varies = whole.varies || path.varies;
      if (std::optional<Place> place = root_of(whole, depth + 1); place && !place->name.empty()) {
        path = whole;
        return place;
      }
    }
    return pointer ? behind(*pointer) : std::nullopt;
  }

  // A pointer that a loop moves along.
  std::optional<Place> root_of(const llvm::PHINode& phi, AddressPath& path, int depth) {
    const llvm::Value* start = nullptr;
    for (const llvm::Value* incoming : phi.incoming_values()) {
      const llvm::Value* const base = follow(incoming).base;
      if (base == &phi) continue;
      if (start) return std::nullopt;
      start = incoming;
    }
    if (!start || depth > kMaxDepth) return std::nullopt;
    const AddressPath before = follow(start);
    path.base = before.base;
    path.offset += before.offset;
    path.varies = true;
    return root_of(path, depth + 1);
  }

  static std::optional<Place> place_of(const LocalVariable& local, AddressPath& path, bool after_load) {
    if (local.through_load != after_load) return std::nullopt;
    const llvm::DIType* const type = local.variable->getType();
    const llvm::StringRef name = local.variable->getName();
    if (!local.is_address) {
      if (!is_pointer_or_reference(type)) return std::nullopt;
      return behind({name.str(), type, false});
    }
    if (name == "__coro_frame") return Place{kCoroutineFrame.str(), nullptr, false};
    const std::uint64_t size = type ? type->getSizeInBits() / 8 : 0;
    if (local.offset != 0 && (path.offset < local.offset || path.offset - local.offset >= size)) return std::nullopt;
    path.offset -= local.offset;
    return Place{is_reserved(name) ? "" : name.str(), type, false};
  }

  // What a pointer or reference that lives at `pointer` points to.
  static std::optional<Place> behind(const Place& pointer) {
    const llvm::StringRef name = pointer.name;
    const bool is_name =
        !name.empty() && name != "this" && name != kCoroutineFrame && !name.starts_with("*") && !is_reserved(name);
    const llvm::DICompositeType* const owner = class_of(pointer.type);
    const bool in_library = owner && is_system_type(*owner);
    const llvm::DIType* const type = in_library ? library_target_of(*owner, pointer.offset) : pointee_of(pointer.type);
    if (!is_name) return type ? std::optional(Place{"", type, true}) : std::nullopt;
    const bool may_be_pointer = !pointer.type || is_pointer_or_reference(pointer.type) || in_library;
    if (!may_be_pointer) return std::nullopt;
    return Place{is_reference(pointer.type) ? name.str() : ("*" + name).str(), type, true};
  }

  std::string name_by_structure(const AddressPath& path, std::uint64_t size) const {
    const std::string& name = path.structure;
    std::string agreed;
    for (const llvm::DICompositeType* type : types_.by_name(name)) {
      const MemberPath member = member_at(type, path.offset_in_structure, size, true);
      const std::string one = member.owner ? name_with_owner(member) : name;
      // Instances of one template share the name, but they need not share the layout.
      if (!agreed.empty() && agreed != one) return name;
      agreed = one;
    }
    return agreed.empty() ? name : agreed;
  }

  std::string name_by_alias_tag(const Access& access) const {
    const llvm::MDNode* const tag = access.instruction->getMetadata(llvm::LLVMContext::MD_tbaa);
    if (!tag || tag->getNumOperands() < 3) return {};
    const auto* owner = llvm::dyn_cast_or_null<llvm::MDNode>(tag->getOperand(0));
    const auto* offset = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(tag->getOperand(2));
    if (!owner || !offset || owner == tag->getOperand(1) || owner->getNumOperands() < 3) return {};
    const auto* identifier = llvm::dyn_cast_or_null<llvm::MDString>(owner->getOperand(0));
    if (!identifier || identifier->getString().empty()) return {};
    std::string name = llvm::demangle(identifier->getString().str());
    const llvm::StringRef prefix = "typeinfo name for ";
    if (llvm::StringRef(name).starts_with(prefix)) name.erase(0, prefix.size());
    const llvm::DICompositeType* const type = types_.by_identifier(identifier->getString());
    if (!type) return name;
    const MemberPath member = member_at(type, offset->getZExtValue(), size_of(access), true);
    return member.owner ? name_with_owner(member) : type_name(*type);
  }

  const llvm::DataLayout& layout_;
  DebugTypes types_;
  const llvm::Function* function_ = nullptr;
  std::optional<LocalVariables> variables_;
};

VariableNamer::VariableNamer(const llvm::Module& module) : impl_(std::make_unique<Impl>(module)) {}
VariableNamer::~VariableNamer() = default;
std::string VariableNamer::name(const Access& access) { return impl_->name(access); }

}  // namespace weavefuzz::pass
