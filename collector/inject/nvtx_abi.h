// SPDX-License-Identifier: Apache-2.0
// The part of NVTX's binary interface that an injection needs, so that ranges are recorded by
// builds that have no NVTX headers too. The interface is frozen: programs carry it compiled in. A
// test compares these declarations with the real headers wherever those are installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mansard::nvtx {

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
};

enum class MessageType : std::int32_t { unknown = 0, ascii = 1, unicode = 2, registered = 3 };

struct EventAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t reserved;
  union {
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

}  // namespace mansard::nvtx
