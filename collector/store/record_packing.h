// SPDX-License-Identifier: Apache-2.0
// Which fields of a record differ from one to the next. All others make its kind, which many
// records share: a program launches the same few thousand kernels, calls and ranges over and over.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "collector/store/kernel_record.h"
#include "support/hash.h"

namespace mansard::store {

// Of a record: kFields, read by get() and written by set() as integers, and kind(), the others.
template <class Record>
struct RecordPacking;

template <>
struct RecordPacking<KernelRecord> {
  static constexpr std::size_t kFields = 5;
  static std::array<std::int64_t, kFields> get(const KernelRecord& k) {
    return {k.start_ns, k.end_ns, k.correlation_id, k.grid_id, k.graph_node_id};
  }
  template <class Value>
  static void set(KernelRecord& k, const Value& value) {
    k.start_ns = value(0);
    k.end_ns = value(1);
    k.correlation_id = value(2);
    k.grid_id = value(3);
    k.graph_node_id = value(4);
  }
  static auto kind(const KernelRecord& k) {
    return std::tie(k.demangled_name, k.short_name, k.mangled_name, k.grid, k.block, k.cluster,
                    k.device_id, k.context_id, k.stream_id, k.registers_per_thread,
                    k.static_shared_bytes, k.dynamic_shared_bytes, k.local_bytes_per_thread,
                    k.local_bytes_total, k.graph_id, k.launch_type);
  }
};

template <>
struct RecordPacking<ApiRecord> {
  static constexpr std::size_t kFields = 3;
  static std::array<std::int64_t, kFields> get(const ApiRecord& a) {
    return {a.start_ns, a.end_ns, a.correlation_id};
  }
  template <class Value>
  static void set(ApiRecord& a, const Value& value) {
    a.start_ns = value(0);
    a.end_ns = value(1);
    a.correlation_id = value(2);
  }
  static auto kind(const ApiRecord& a) {
    return std::tie(a.name, a.global_tid, a.event_class, a.return_value);
  }
};

template <>
struct RecordPacking<NvtxRecord> {
  static constexpr std::size_t kFields = 6;
  static std::array<std::int64_t, kFields> get(const NvtxRecord& n) {
    return {n.start_ns, n.end_ns, n.row_id, n.range_id, n.text_id, bits(n.payload)};
  }
  template <class Value>
  static void set(NvtxRecord& n, const Value& value) {
    n.start_ns = value(0);
    n.end_ns = value(1);
    n.row_id = value(2);
    n.range_id = value(3);
    n.text_id = value(4);
    set_bits(n.payload, value(5));
  }
  // The payload's type is part of the kind, its value is a field.
  static auto kind(const NvtxRecord& n) {
    return std::tuple(n.payload.index(), std::string_view(n.text), n.domain_id, n.color,
                      n.global_tid, n.end_global_tid, n.type, n.category, n.began_earlier);
  }

 private:
  static std::int64_t bits(const NvtxPayload& payload) {
    return std::visit(
        []<class T>(const T& value) -> std::int64_t {
          if constexpr (std::is_same_v<T, double>) return std::bit_cast<std::int64_t>(value);
          if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::int32_t>(value);
          if constexpr (std::is_integral_v<T>) return static_cast<std::int64_t>(value);
          if constexpr (std::is_same_v<T, NvtxJson>) return value.id;
          return 0;
        },
        payload);
  }
  static void set_bits(NvtxPayload& payload, std::int64_t bits) {
    std::visit(
        [bits]<class T>(T& value) {
          if constexpr (std::is_same_v<T, double>) value = std::bit_cast<double>(bits);
          if constexpr (std::is_same_v<T, float>) {
            value = std::bit_cast<float>(static_cast<std::int32_t>(bits));
          }
          if constexpr (std::is_integral_v<T>) value = static_cast<T>(bits);
          if constexpr (std::is_same_v<T, NvtxJson>) value = {static_cast<StringId>(bits)};
        },
        payload);
  }
};

// Of a record's kind.
template <class Record>
std::size_t hash_of_kind(const Record& record) {
  HashBuilder hash;
  const auto add = [&hash]<class T>(const T& field) {
    if constexpr (std::is_same_v<T, std::string_view>) {
      hash.add(std::hash<std::string_view>()(field));
    } else {
      hash.add(field);
    }
  };
  std::apply([&](const auto&... field) { (add(field), ...); }, RecordPacking<Record>::kind(record));
  return hash.hash();
}

}  // namespace mansard::store
