// SPDX-License-Identifier: Apache-2.0
// The part of NVTX's binary interface that an injection library needs, so that builds without NVTX
// headers can also record ranges. The interface is frozen, because it is compiled into programs. A
// test compares these declarations with the real headers where those are installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mansard::collector::nvtx {

enum class Module : std::int32_t { core = 1, core2 = 5 };

enum class Core : std::uint32_t {
  mark_ex = 1,
  mark_a = 2,
  mark_w = 3,
  range_start_ex = 4,
  range_start_a = 5,
  range_start_w = 6,
  range_end = 7,
  range_push_ex = 8,
  range_push_a = 9,
  range_push_w = 10,
  range_pop = 11,
  name_category_a = 12,
  name_category_w = 13,
  name_os_thread_a = 14,
  name_os_thread_w = 15,
};

enum class Core2 : std::uint32_t {
  mark_ex = 1,
  range_start_ex = 2,
  range_end = 3,
  range_push_ex = 4,
  range_pop = 5,
  name_category_a = 8,
  name_category_w = 9,
  register_string_a = 10,
  register_string_w = 11,
  create_a = 12,
  create_w = 13,
  destroy = 14,
};

enum class ColorType : std::int32_t { unknown = 0, argb = 1 };

enum class PayloadType : std::int32_t {
  unknown = 0,
  uint64 = 1,
  int64 = 2,
  float64 = 3,
  uint32 = 4,
  int32 = 5,
  float32 = 6,
  extended = static_cast<std::int32_t>(0xDFBD0009),  // an array of PayloadData
};

enum class MessageType : std::int32_t { unknown = 0, ascii = 1, unicode = 2, registered = 3 };

struct EventAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t extended_count;  // of the array that `extended` points to
  union {
    const struct PayloadData* extended;
    std::uint64_t uint64;
    std::int64_t int64;
    double float64;
    std::uint32_t uint32;
    std::int32_t int32;
    float float32;
  } payload;
  std::int32_t message_type;
  union {
    const char* ascii;
    const wchar_t* unicode;
    const void* registered;
  } message;
};
static_assert(sizeof(EventAttributes) == 48 && offsetof(EventAttributes, message) == 40);

using Function = void (*)();

struct CallbackTable {
  std::size_t struct_size;
  int (*get_module_function_table)(Module module, Function*** table, unsigned int* size);
};

inline constexpr std::uint32_t kCallbacksTable = 1;
using GetExportTable = const void* (*)(std::uint32_t id);

// The payload extension (nvToolsExtPayload.h): events with structured payloads, whose layouts the
// program registers. NCCL describes its collectives and communicators this way. Versions 0x0103
// (NCCL since 2.18) and 0x0104 (CUDA 13) have the same layouts and numbers.

inline constexpr std::uint16_t kPayloadModule = 2;
inline constexpr std::uint16_t kOldestPayloadVersion = 0x0103;
inline constexpr std::uint16_t kNewestPayloadVersion = 0x0104;

enum class PayloadFunction : std::uint32_t {
  schema_register = 0,
  enum_register = 1,
  mark = 2,
  range_push = 3,
  range_pop = 4,
  range_start = 5,
  range_end = 6,
};

struct ModuleSegment {
  std::size_t id;
  std::size_t slots;
  std::intptr_t* functions;
};

struct ModuleInfo {
  std::uint16_t nvtx_version;
  std::uint16_t struct_size;
  std::uint16_t module;
  std::uint16_t version;
  std::size_t segment_count;
  ModuleSegment* segments;
  void* get_export_function;
  const void* extension_info;
};

struct PayloadData {
  std::uint64_t schema;
  std::size_t size;  // SIZE_MAX: as large as its schema says
  const void* bytes;
};

// Types of a schema's entries, and of payloads without a schema.
enum class EntryType : std::uint64_t {
  character = 1,
  unsigned_character = 2,
  short_integer = 3,
  unsigned_short = 4,
  integer = 5,
  unsigned_integer = 6,
  long_integer = 7,
  unsigned_long = 8,
  long_long = 9,
  unsigned_long_long = 10,
  int8 = 11,
  uint8 = 12,
  int16 = 13,
  uint16 = 14,
  int32 = 15,
  uint32 = 16,
  int64 = 17,
  uint64 = 18,
  float_number = 19,
  double_number = 20,
  size = 22,
  address = 23,
  byte = 32,
  float32 = 43,
  float64 = 44,
  category = 68,
  color = 69,
  scope = 70,
  pid32 = 71,
  pid64 = 72,
  tid32 = 73,
  tid64 = 74,
  c_string = 75,
  c_string_utf8 = 76,
  registered_string = 80,
};
inline constexpr std::uint64_t kStaticSchemas = std::uint64_t{1} << 24;   // given by the program
inline constexpr std::uint64_t kDynamicSchemas = std::uint64_t{1} << 32;  // given by the tool

// SchemaEntry::flags
inline constexpr std::uint64_t kEntryPoints = 7 << 1;      // to its value, or by an offset
inline constexpr std::uint64_t kEntryArray = 7 << 4;       // one of the kinds of arrays
inline constexpr std::uint64_t kEntryFixedArray = 1 << 4;  // of SchemaEntry::length elements
inline constexpr std::uint64_t kEntryHidden = 1 << 9;
inline constexpr std::uint64_t kEntryPurpose = 3 << 10;
inline constexpr std::uint64_t kEntryMessage = 1 << 10;  // kEntryPurpose: the text of the event

struct SchemaEntry {
  std::uint64_t flags;
  std::uint64_t type;  // EntryType, or a schema or enumeration
  const char* name;
  const char* description;
  std::uint64_t length;  // of an array or string
  std::uint64_t offset;  // 0 but for the first: after the entry before, aligned
  const void* semantics;
  const void* reserved;
};

inline constexpr std::uint64_t kStaticLayout = 1;  // SchemaAttributes::type

// SchemaAttributes::fields
inline constexpr std::uint64_t kSchemaHasType = 1 << 2;
inline constexpr std::uint64_t kSchemaHasEntries = 3 << 4;  // and their number
inline constexpr std::uint64_t kSchemaHasPackAlign = 1 << 7;
inline constexpr std::uint64_t kSchemaHasId = 1 << 8;

struct SchemaAttributes {
  std::uint64_t fields;  // kSchemaHas...: which of the following are set
  const char* name;
  std::uint64_t type;
  std::uint64_t flags;
  const SchemaEntry* entries;
  std::size_t entry_count;
  std::size_t static_size;
  std::size_t pack_align;
  std::uint64_t schema_id;
};

// EnumAttributes::fields
inline constexpr std::uint64_t kEnumHasEntries = 3 << 2;  // and their number
inline constexpr std::uint64_t kEnumHasSize = 1 << 4;
inline constexpr std::uint64_t kEnumHasId = 1 << 5;

struct EnumEntry {
  const char* name;
  std::uint64_t value;
  std::int8_t is_flag;
};

struct EnumAttributes {
  std::uint64_t fields;  // kEnumHas...: which of the following are set
  const char* name;
  const EnumEntry* entries;
  std::size_t entry_count;
  std::size_t size;
  std::uint64_t schema_id;
};

}  // namespace mansard::collector::nvtx
