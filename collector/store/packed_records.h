// SPDX-License-Identifier: Apache-2.0
// Records in columnar form: packed_members() as integer columns. The other members are stored once
// per distinct combination, as a program repeats the same few thousand kernels, calls and ranges.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
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
  Record operator[](std::size_t i) const {
    Record record = kinds_[static_cast<std::size_t>(kind_[i])];
    std::apply(
        [&](auto... members) {
          std::size_t field = 0;
          (unpack_value(record.*members, fields_[field++][i]), ...);
        },
        packed_members<Record>);
    return record;
  }

  std::size_t held_bytes() const {
    std::size_t bytes = kind_.held_bytes() + kinds_.capacity() * sizeof(Record);
    for (const PackedColumn& field : fields_) bytes += field.held_bytes();
    return bytes;
  }

 private:
  friend class RecordPacker<Record>;
  static constexpr std::size_t kFields =
      std::tuple_size_v<std::remove_cvref_t<decltype(packed_members<Record>)>>;

  std::array<PackedColumn, kFields> fields_;
  PackedColumn kind_;          // into kinds_
  std::vector<Record> kinds_;  // their packed members are unused
};

}  // namespace mansard::store
