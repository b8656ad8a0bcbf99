// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_schemas.h"

#include <algorithm>
#include <cstring>

#include <nlohmann/json.hpp>

namespace mansard::collector {
namespace {

using Json = nlohmann::ordered_json;
using nvtx::EntryType;

// Kinds of values that become JSON.
enum class Kind { none, signed_integer, unsigned_integer, real, text_pointer, registered };

struct TypeInfo {
  Kind kind = Kind::none;
  std::uint64_t size = 0;  // and alignment, in bytes
};

TypeInfo info_of(std::uint64_t type) {
  switch (static_cast<EntryType>(type)) {
    case EntryType::character:
      return {std::is_signed_v<char> ? Kind::signed_integer : Kind::unsigned_integer, 1};
    case EntryType::int8:
      return {Kind::signed_integer, 1};
    case EntryType::unsigned_character:
    case EntryType::uint8:
    case EntryType::byte:
      return {Kind::unsigned_integer, 1};
    case EntryType::short_integer:
      return {Kind::signed_integer, sizeof(short)};
    case EntryType::int16:
      return {Kind::signed_integer, 2};
    case EntryType::unsigned_short:
      return {Kind::unsigned_integer, sizeof(unsigned short)};
    case EntryType::uint16:
      return {Kind::unsigned_integer, 2};
    case EntryType::integer:
      return {Kind::signed_integer, sizeof(int)};
    case EntryType::int32:
      return {Kind::signed_integer, 4};
    case EntryType::unsigned_integer:
      return {Kind::unsigned_integer, sizeof(unsigned)};
    case EntryType::uint32:
    case EntryType::category:
    case EntryType::color:
    case EntryType::pid32:
    case EntryType::tid32:
      return {Kind::unsigned_integer, 4};
    case EntryType::long_integer:
      return {Kind::signed_integer, sizeof(long)};
    case EntryType::long_long:
    case EntryType::int64:
      return {Kind::signed_integer, 8};
    case EntryType::unsigned_long:
      return {Kind::unsigned_integer, sizeof(unsigned long)};
    case EntryType::size:
      return {Kind::unsigned_integer, sizeof(std::size_t)};
    case EntryType::unsigned_long_long:
    case EntryType::uint64:
    case EntryType::address:
    case EntryType::scope:
    case EntryType::pid64:
    case EntryType::tid64:
      return {Kind::unsigned_integer, 8};
    case EntryType::float_number:
    case EntryType::float32:
      return {Kind::real, 4};
    case EntryType::double_number:
    case EntryType::float64:
      return {Kind::real, 8};
    case EntryType::c_string:
    case EntryType::c_string_utf8:
      return {Kind::text_pointer, sizeof(const char*)};
    case EntryType::registered_string:
      return {Kind::registered, sizeof(const NvtxString*)};
  }
  return {};
}

template <class T>
T load(const unsigned char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::uint64_t load_unsigned(const unsigned char* bytes, std::uint64_t size) {
  if (size == 1) return load<std::uint8_t>(bytes);
  if (size == 2) return load<std::uint16_t>(bytes);
  if (size == 4) return load<std::uint32_t>(bytes);
  return load<std::uint64_t>(bytes);
}

std::int64_t load_signed(const unsigned char* bytes, std::uint64_t size) {
  if (size == 1) return load<std::int8_t>(bytes);
  if (size == 2) return load<std::int16_t>(bytes);
  if (size == 4) return load<std::int32_t>(bytes);
  return load<std::int64_t>(bytes);
}

Json value_of(TypeInfo type, const unsigned char* bytes) {
  switch (type.kind) {
    case Kind::signed_integer:
      return load_signed(bytes, type.size);
    case Kind::unsigned_integer:
      return load_unsigned(bytes, type.size);
    case Kind::real:
      return type.size == 4 ? double{load<float>(bytes)} : load<double>(bytes);
    case Kind::text_pointer: {
      const char* text = load<const char*>(bytes);
      return text != nullptr ? Json(text) : Json();
    }
    case Kind::registered: {
      const NvtxString* text = load<const NvtxString*>(bytes);
      return text != nullptr ? Json(text->text) : Json();
    }
    case Kind::none:
      break;
  }
  return {};
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::uint64_t NvtxSchemas::id_of(bool has_id, std::uint64_t id) {
  return has_id && id >= nvtx::kStaticSchemas && id < nvtx::kDynamicSchemas ? id : next_id_++;
}

std::uint64_t NvtxSchemas::add(const NvtxDomain* domain, const nvtx::EnumAttributes& attributes) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = id_of((attributes.fields & nvtx::kEnumHasId) != 0, attributes.schema_id);
  Enumeration enumeration;
  enumeration.size = (attributes.fields & nvtx::kEnumHasSize) != 0 ? attributes.size : sizeof(int);
  const bool size_known = enumeration.size == 1 || enumeration.size == 2 || enumeration.size == 4 ||
                          enumeration.size == 8;
  if (!size_known) return id;
  if ((attributes.fields & nvtx::kEnumHasEntries) == nvtx::kEnumHasEntries &&
      attributes.entries != nullptr) {
    for (std::size_t i = 0; i < attributes.entry_count; ++i) {
      const nvtx::EnumEntry& entry = attributes.entries[i];
      if (entry.name != nullptr) enumeration.names.emplace(entry.value, entry.name);
    }
  }
  enumerations_[{domain, id}] = std::move(enumeration);
  return id;
}

// Returns false if the entry's size and offset, and the offsets of the entries after it, are
// unknown.
bool NvtxSchemas::lay_out(const NvtxDomain* domain, const nvtx::SchemaEntry& entry,
                          std::uint64_t end, std::uint64_t pack_align, Field& field) const {
  TypeInfo type = info_of(entry.type);
  const auto enumeration = enumerations_.find({domain, entry.type});
  if (enumeration != enumerations_.end()) {
    type = {Kind::unsigned_integer, enumeration->second.size};
  }
  const std::uint64_t array = entry.flags & nvtx::kEntryArray;
  field.type = entry.type;
  field.embedded_text = type.kind == Kind::text_pointer && entry.length > 0 &&
                        (array == 0 || array == nvtx::kEntryFixedArray);
  const bool scalar = array == 0 && (entry.flags & nvtx::kEntryPoints) == 0;
  if (type.kind == Kind::none || (!scalar && !field.embedded_text)) return false;
  field.size = field.embedded_text ? entry.length : type.size;
  std::uint64_t align = field.embedded_text ? 1 : type.size;
  if (pack_align > 0) align = std::min(align, pack_align);
  field.offset = entry.offset > 0 ? entry.offset : (end + align - 1) / align * align;
  return true;
}

std::uint64_t NvtxSchemas::add(const NvtxDomain* domain, const nvtx::SchemaAttributes& attributes) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t id =
      id_of((attributes.fields & nvtx::kSchemaHasId) != 0, attributes.schema_id);
  std::vector<Field>& fields = schemas_[{domain, id}];
  fields.clear();
  const bool has_entries = (attributes.fields & nvtx::kSchemaHasEntries) == nvtx::kSchemaHasEntries;
  const bool is_static =
      (attributes.fields & nvtx::kSchemaHasType) == 0 || attributes.type == nvtx::kStaticLayout;
  if (!has_entries || !is_static || attributes.entries == nullptr) return id;
  const std::uint64_t pack_align =
      (attributes.fields & nvtx::kSchemaHasPackAlign) != 0 ? attributes.pack_align : 0;
  std::uint64_t end = 0;
  bool end_known = true;
  for (std::size_t i = 0; i < attributes.entry_count; ++i) {
    const nvtx::SchemaEntry& entry = attributes.entries[i];
    Field field;
    if (!lay_out(domain, entry, end, pack_align, field)) {
      end_known = false;
      continue;
    }
    if (!end_known && entry.offset == 0) continue;
    end = field.offset + field.size;
    end_known = true;
    field.name = entry.name != nullptr ? entry.name : "field " + std::to_string(i);
    field.is_message = (entry.flags & nvtx::kEntryPurpose) == nvtx::kEntryMessage;
    if ((entry.flags & nvtx::kEntryHidden) == 0 || field.is_message) {
      fields.push_back(std::move(field));
    }
  }
  return id;
}

NvtxSchemas::Decoded NvtxSchemas::decode(const NvtxDomain* domain,
                                         const nvtx::PayloadData* payloads, std::size_t count) {
  const std::lock_guard lock(mutex_);
  Decoded decoded;
  Json object;
  for (std::size_t i = 0; payloads != nullptr && i < count; ++i) {
    const nvtx::PayloadData& payload = payloads[i];
    const auto* bytes = static_cast<const unsigned char*>(payload.bytes);
    const auto schema = schemas_.find({domain, payload.schema});
    if (bytes == nullptr || schema == schemas_.end()) continue;
    for (const Field& field : schema->second) {
      if (payload.size < field.size || field.offset > payload.size - field.size) continue;
      const unsigned char* at = bytes + field.offset;
      Json value;
      const auto enumeration = enumerations_.find({domain, field.type});
      if (field.embedded_text) {
        const auto* text = reinterpret_cast<const char*>(at);
        value = std::string(text, strnlen(text, field.size));
      } else if (enumeration != enumerations_.end()) {
        const std::uint64_t number = load_unsigned(at, field.size);
        const auto name = enumeration->second.names.find(number);
        value = name != enumeration->second.names.end() ? Json(name->second) : Json(number);
      } else {
        value = value_of(info_of(field.type), at);
      }
      if (field.is_message) {
        if (value.is_string()) decoded.message = value.get<std::string>();
      } else {
        object[field.name] = std::move(value);
      }
    }
  }
  if (!object.is_null()) decoded.json = dump(object);
  return decoded;
}

std::string join_json_objects(const std::string& first, const std::string& second) {
  if (first.empty() || second.empty()) return first + second;
  Json joined = Json::parse(first);
  joined.update(Json::parse(second));
  return dump(joined);
}

}  // namespace mansard::collector
