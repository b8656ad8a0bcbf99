// SPDX-License-Identifier: Apache-2.0
// Builds PackedRecords from a stream of records.
#pragma once

#include <algorithm>
#include <array>
#include <future>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collector/store/packed_records.h"
#include "support/hash.h"

namespace mansard::store {

template <class Record, class Access>
constexpr bool is_packed(const Access& access) {
  return std::apply(
      [&](auto... members) {
        const auto is = [&](auto member) {
          if constexpr (requires { member == access.member; }) return member == access.member;
          return false;
        };
        return (is(members) || ...);
      },
      packed_members<Record>);
}

// Calls take(part) for each part that records of one kind share: all members except the packed
// ones, and the alternative index of packed variants. `record...` is one record, or two that are
// compared. Stops when take() returns false; returns whether it never did.
template <class Take, class Record, class... Others>
bool for_each_part_of_kind(const Take& take, const Record& record, const Others&... others) {
  const auto take_column = [&]<std::size_t I>() {
    constexpr const auto& kColumn = std::get<I>(table<Record>.columns);
    using Column = std::remove_cvref_t<decltype(kColumn)>;
    if constexpr (InRecord<typename Column::Access>) {
      if constexpr (std::is_same_v<typename Column::Value, NvtxPayload>) {
        return take(kColumn.access(record).index(), kColumn.access(others).index()...);
      } else if constexpr (!is_packed<Record>(kColumn.access)) {
        return take(kColumn.access(record), kColumn.access(others)...);
      }
    }
    return true;
  };
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (take_column.template operator()<I>() && ...);
  }
  (std::make_index_sequence<std::remove_cvref_t<decltype(table<Record>)>::kColumns>());
}

template <class Record>
bool same_kind(const Record& a, const Record& b) {
  return for_each_part_of_kind([](const auto& x, const auto& y) { return x == y; }, a, b);
}

template <class Record>
std::size_t hash_of_kind(const Record& record) {
  HashBuilder hash;
  for_each_part_of_kind(
      [&hash]<class Part>(const Part& part) {
        if constexpr (std::is_same_v<Part, std::string>) {
          hash.add(std::hash<std::string_view>()(part));
        } else {
          hash.add(part);
        }
        return true;
      },
      record);
  return hash.hash();
}

// Builds PackedRecords from a stream of records.
template <class Record>
class RecordPacker {
 public:
  RecordPacker() = default;
  RecordPacker(const RecordPacker&) = delete;  // known_ looks into out_
  RecordPacker& operator=(const RecordPacker&) = delete;

  void add(const Record& record) {
    const Values values =
        std::apply([&](auto... members) { return Values{packed_value(record.*members)...}; },
                   packed_members<Record>);
    add(values, number_of(record));
  }

  // Appends all records of `other`.
  void add(PackedRecords<Record> other) {
    std::vector<std::uint32_t> number;
    for (const Record& kind : other.kinds_) number.push_back(number_of(kind));
    Values values;
    for (std::size_t i = 0; i < other.size(); ++i) {
      for (std::size_t f = 0; f < values.size(); ++f) values[f] = other.fields_[f][i];
      add(values, number[static_cast<std::size_t>(other.kind_[i])]);
    }
  }

  PackedRecords<Record> finish() {
    for (PackedColumn& field : out_.fields_) field.finish();
    out_.kind_.finish();
    known_.clear();
    out_.kinds_.shrink_to_fit();
    return std::exchange(out_, {});
  }

  // Returns the records sorted by start (stable). Files have records ordered by end, which is
  // nearly sorted; SQLite's ORDER BY would write all columns of all rows to temporary files.
  PackedRecords<Record> finish_by_start() {
    const bool in_order = in_order_;
    PackedRecords<Record> records = finish();
    if (in_order) return records;
    const std::vector<std::uint32_t> order = by_start(records);
    const auto put_in_order = [&](PackedColumn& column) {
      std::vector<std::int64_t> values(records.size());
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = column[i];
      column = {};
      for (const std::uint32_t i : order) column.push_back(values[i]);
      column.finish();
    };
    std::array<PackedColumn*, PackedRecords<Record>::kFields + 1> columns = {&records.kind_};
    for (std::size_t f = 0; f < records.fields_.size(); ++f) columns[f + 1] = &records.fields_[f];
    const std::span<PackedColumn*> all(columns);
    in_two_threads(
        records.size(),
        [&] {
          std::ranges::for_each(all.first(all.size() / 2), [&](auto* c) { put_in_order(*c); });
        },
        [&] {
          std::ranges::for_each(all.subspan(all.size() / 2), [&](auto* c) { put_in_order(*c); });
        });
    return records;
  }

 private:
  using Values = std::array<std::int64_t, PackedRecords<Record>::kFields>;
  static constexpr std::size_t kStart = 0;  // index among the packed fields

  struct Hash {
    const std::vector<Record>* kinds;
    std::size_t operator()(std::uint32_t i) const { return hash_of_kind((*kinds)[i]); }
  };
  struct Same {
    const std::vector<Record>* kinds;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      return same_kind((*kinds)[a], (*kinds)[b]);
    }
  };

  template <class First, class Second>
  static void in_two_threads(std::size_t records, const First& first, const Second& second) {
    constexpr std::size_t kMany = 500'000;
    const auto policy = records < kMany ? std::launch::deferred : std::launch::async;
    std::future<void> other = std::async(policy, second);
    first();
    other.get();
  }

  static std::vector<std::uint32_t> by_start(const PackedRecords<Record>& records) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> keys;
    keys.reserve(records.size());
    for (std::uint32_t i = 0; i < records.size(); ++i) {
      keys.emplace_back(records.fields_[kStart][i], i);
    }
    const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2);
    in_two_threads(
        keys.size(), [&] { std::sort(keys.begin(), middle); },
        [&] { std::sort(middle, keys.end()); });
    std::inplace_merge(keys.begin(), middle, keys.end());
    std::vector<std::uint32_t> order;
    order.reserve(keys.size());
    for (const auto& [start_ns, i] : keys) order.push_back(i);
    return order;
  }

  void add(const Values& values, std::uint32_t kind) {
    for (std::size_t f = 0; f < values.size(); ++f) out_.fields_[f].push_back(values[f]);
    out_.kind_.push_back(kind);
    in_order_ = in_order_ && values[kStart] >= last_start_ns_;
    last_start_ns_ = values[kStart];
  }

  std::uint32_t number_of(const Record& record) {
    const auto next = static_cast<std::uint32_t>(out_.kinds_.size());
    out_.kinds_.push_back(record);
    const auto [found, is_new] = known_.insert(next);
    if (!is_new) out_.kinds_.pop_back();
    return *found;
  }

  PackedRecords<Record> out_;
  std::unordered_set<std::uint32_t, Hash, Same> known_{0, Hash{&out_.kinds_}, Same{&out_.kinds_}};
  bool in_order_ = true;
  std::int64_t last_start_ns_ = INT64_MIN;
};

}  // namespace mansard::store
