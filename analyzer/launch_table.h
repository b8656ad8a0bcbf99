// SPDX-License-Identifier: Apache-2.0
// All device activities of a run in one table: kernels, memcpys, memsets, and CUDA graphs recorded
// as a whole. Analyses, exports and figures identify a launch by its index in this table.
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

  // Returns the index of the call with this correlation id; the earliest if several have it, such
  // as a runtime call and the driver call inside it.
  std::optional<std::size_t> find(std::int64_t correlation_id) const;

 private:
  struct Entry {
    std::int64_t correlation_id;
    std::uint32_t call;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  // Indexed by correlation id minus the smallest id, if ids are dense, as they nearly always are.
  std::vector<std::uint32_t> table_;
  std::int64_t least_id_ = 0;
  std::vector<Entry> entries_;  // otherwise: sorted by correlation id, then by start
};

// Launches are numbered by kind, then in the order of the profile's list: a kernel's number is its
// index into Profile::kernels. Uses 8 bytes per launch and 4 per API call.
class LaunchTable {
 public:
  LaunchTable() = default;
  explicit LaunchTable(const store::Profile& profile);

  // Sets the row of each launch, disturbed or not, from the rows' launch indices.
  void set_rows(const std::vector<KernelRow>& rows);

  std::size_t size() const { return first_.back(); }
  // Launch of an entry of the profile's list of this kind.
  std::size_t of(LaunchKind kind, std::size_t record) const {
    return first_[static_cast<std::size_t>(kind)] + record;
  }
  LaunchKind kind(std::size_t launch) const;
  // Index into the profile's list of its kind.
  std::size_t record(std::size_t launch) const {
    return launch - first_[static_cast<std::size_t>(kind(launch))];
  }

  // API call that launched it, as an index into Profile::api_calls; empty if none was recorded.
  std::optional<std::size_t> call(std::size_t launch) const {
    if (call_[launch] == kNone) return std::nullopt;
    return call_[launch];
  }
  const CallIndex& calls() const { return calls_; }

  // Index into RunAnalysis::rows; kNoRow for graphs and before set_rows().
  std::size_t row(std::size_t launch) const {
    return launch < row_.size() && row_[launch] != kNone ? row_[launch] : kNoRow;
  }

  // Launches whose API call was recorded, in the order of the calls: those of one call, such as all
  // nodes of a graph, follow each other.
  std::vector<std::uint32_t> in_call_order() const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  CallIndex calls_;
  std::array<std::size_t, 5> first_ = {};  // by kind; the last: all launches
  std::vector<std::uint32_t> call_;        // by launch
  std::vector<std::uint32_t> row_;
};

// The launch table of a run, created at first use. Thread-safe.
class LaunchTableMemo {
 public:
  LaunchTableMemo() = default;
  // `table`: of the run's profile, without rows.
  explicit LaunchTableMemo(LaunchTable table) : table_(std::move(table)), has_calls_(true) {}
  const LaunchTable& get(const RunAnalysis& run);

 private:
  std::once_flag once_;
  LaunchTable table_;
  bool has_calls_ = false;
};

const LaunchTable& launches_of(const RunAnalysis& run);

}  // namespace mansard::analysis
