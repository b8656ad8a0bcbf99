// SPDX-License-Identifier: Apache-2.0
// Everything that ran on the devices of a run, as one table: kernels, memcpys, memsets, and CUDA
// graphs recorded as a whole. A launch is an index into it, in every analysis, export and picture.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "collector/store/profile.h"

namespace mansard::analysis {

struct KernelRow;
struct RunAnalysis;

enum class LaunchKind : std::uint8_t { kernel, memcpy, memset, graph };

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

// Finds API calls by correlation id.
class CallIndex {
 public:
  CallIndex() = default;
  explicit CallIndex(const store::RecordList<store::ApiRecord>& calls);

  // Returns the index of the call with this correlation id. The earliest, should several carry the
  // id: a runtime call and the driver's call inside it.
  std::optional<std::size_t> find(std::int64_t correlation_id) const;

 private:
  struct Entry {
    std::int64_t correlation_id;
    std::uint32_t call;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  // By correlation id less the least, where ids count calls as they nearly always do.
  std::vector<std::uint32_t> table_;
  std::int64_t least_id_ = 0;
  std::vector<Entry> entries_;  // otherwise: by correlation id, then by start
};

// Launches are numbered kind after kind, each in the order of the profile's list: a kernel's number
// is its index into Profile::kernels. 8 bytes a launch, and 4 for each API call.
class LaunchTable {
 public:
  LaunchTable() = default;
  explicit LaunchTable(const store::Profile& profile);

  // The rows' indices of launches, disturbed or not, become the table's rows.
  void set_rows(const std::vector<KernelRow>& rows);

  std::size_t size() const { return first_.back(); }
  // The launch of an entry of the profile's list of this kind.
  std::size_t of(LaunchKind kind, std::size_t record) const {
    return first_[static_cast<std::size_t>(kind)] + record;
  }
  LaunchKind kind(std::size_t launch) const;
  // Index into the profile's list of its kind.
  std::size_t record(std::size_t launch) const {
    return launch - first_[static_cast<std::size_t>(kind(launch))];
  }

  // The API call that launched it, as an index into Profile::api_calls; empty if none was recorded.
  std::optional<std::size_t> call(std::size_t launch) const {
    if (call_[launch] == kNone) return std::nullopt;
    return call_[launch];
  }
  const CallIndex& calls() const { return calls_; }

  // Index into RunAnalysis::rows; kNoRow for graphs, and without rows.
  std::size_t row(std::size_t launch) const {
    return launch < row_.size() && row_[launch] != kNone ? row_[launch] : kNoRow;
  }

  // The launches from `first` to `last` - 1 of which the call was recorded, in the order of the
  // calls. Nodes of a graph are launched together, by one call: a range around that call is around
  // all of them.
  std::vector<std::uint32_t> in_call_order(const store::Profile& profile, std::size_t first,
                                           std::size_t last) const;
  std::vector<std::uint32_t> kernels_in_call_order(const store::Profile& profile) const {
    return in_call_order(profile, 0, first_[1]);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  CallIndex calls_;
  std::array<std::size_t, 5> first_ = {};  // by kind; the last: all launches
  std::vector<std::uint32_t> call_;        // by launch
  std::vector<std::uint32_t> row_;
};

// The table of a run, made when it is first asked for, by any thread.
class LaunchTableMemo {
 public:
  LaunchTableMemo() = default;
  // A table of the run's profile that has no rows yet.
  explicit LaunchTableMemo(LaunchTable table) : table_(std::move(table)), has_calls_(true) {}
  const LaunchTable& get(const RunAnalysis& run);

 private:
  std::once_flag once_;
  LaunchTable table_;
  bool has_calls_ = false;
};

const LaunchTable& launches_of(const RunAnalysis& run);

}  // namespace mansard::analysis
