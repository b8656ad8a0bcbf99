// SPDX-License-Identifier: Apache-2.0
// Records in columnar form: packed_members() as integer columns. The other members are stored once
// per distinct combination, as a program repeats the same few thousand kernels, calls and ranges.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "collector/store/packed_column.h"
#include "collector/store/packed_value.h"

namespace mansard::store {

template <class Record>
class RecordPacker;

template <class Record>
class PackedRecords {
 public:
  std::size_t size() const { return kind_.size(); }
  // When inlined, this reads only the members that are used.
  [[gnu::always_inline]] Record operator[](std::size_t i) const {
    Record record = kinds_[static_cast<std::size_t>(kind_[i])];
    unpack_fields(i, record);
    return record;
  }

  // Calls take(i, record) for all records in order, faster than by index: successive records mostly
  // share the members that are not packed.
  template <class Take>
  void for_each(const Take& take) const {
    Record record;
    std::int64_t kind = -1;
    for (std::size_t i = 0; i < size(); ++i) {
      if (const std::int64_t next = kind_[i]; next != kind) {
        kind = next;
        record = kinds_[static_cast<std::size_t>(kind)];
      }
      unpack_fields(i, record);
      take(i, std::as_const(record));
    }
  }

  std::size_t held_bytes() const {
    std::size_t bytes = kind_.held_bytes() + kinds_.capacity() * sizeof(Record);
    for (const PackedColumn& field : fields_) bytes += field.held_bytes();
    return bytes;
  }

 private:
  friend class RecordPacker<Record>;
  [[gnu::always_inline]] void unpack_fields(std::size_t i, Record& record) const {
    [&]<std::size_t... F>(std::index_sequence<F...>) __attribute__((always_inline)) {
      (unpack_value(record.*std::get<F>(packed_members<Record>), fields_[F][i]), ...);
    }
    (std::make_index_sequence<kFields>());
  }

  static constexpr std::size_t kFields =
      std::tuple_size_v<std::remove_cvref_t<decltype(packed_members<Record>)>>;

  std::array<PackedColumn, kFields> fields_;
  PackedColumn kind_;          // into kinds_
  std::vector<Record> kinds_;  // their packed members are unused
};

}  // namespace mansard::store
