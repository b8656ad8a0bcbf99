// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "analyzer/kernel_rows.h"
#include "analyzer/row_times.h"
#include "collector/store/memory_names.h"

namespace mansard::analysis {

namespace {

// The memory tier and the link that a memcpy uses.
struct Route {
  std::optional<MemoryLevel> level;
  double passes = 1;              // bytes at that tier per byte copied
  std::string_view link_ceiling;  // id: the link in this direction, with pinned memory
};

Route route_of(std::int32_t copy_kind) {
  switch (copy_kind) {  // ENUM_CUDA_MEMCPY_OPER
    case 1:             // host to device
    case 3:
    case 11:
      return {MemoryLevel::pcie, 1, "pcie_h2d_pinned"};
    case 2:  // device to host
    case 4:
    case 12:
      return {MemoryLevel::pcie, 1, "pcie_d2h_pinned"};
    case 5:  // within the device
    case 6:
    case 7:
    case 8:
    case 13:
      return {MemoryLevel::hbm, 2, ""};
    case 10:  // between devices
      return {MemoryLevel::nvlink, 1, kPeerCopyCeiling};
    default:
      return {};
  }
}

// Sizes in a group are within a factor of 16, as copy rates depend on the size.
int size_group(std::int64_t bytes) {
  return bytes <= 0 ? 0 : (std::bit_width(static_cast<std::uint64_t>(bytes) - 1) + 3) / 4;
}

std::string size_text(int group) {
  const auto text = [](int bits) {
    constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    return std::to_string(1 << (bits % 10)) + " " + std::string(kUnits[bits / 10]);
  };
  return group == 0 ? "up to 1 B" : text(4 * group - 4) + " to " + text(4 * group);
}

class MemoryRows {
 public:
  MemoryRows(const DisturbedTime& disturbed, bool all_disturbed)
      : disturbed_(disturbed), look_at_times_(disturbed.any() && !all_disturbed) {}

  template <class Record>
  void add(RowKind kind, const Record& record, std::size_t index,
           std::tuple<std::int32_t, std::int32_t, std::int32_t> kinds, const Route& route,
           const auto& name) {
    const int group = size_group(record.bytes);
    const auto [entry, is_new] = row_of_.try_emplace({kind, kinds, group}, rows_.size());
    if (is_new) {
      KernelRow& row = rows_.emplace_back();
      row.kind = kind;
      row.name = row.short_name = name();
      row.operation_class = kind == RowKind::memcpy ? kMemcpyClass : kMemsetClass;
      row.shape = size_text(group);
      const bool known = route.level && record.bytes > 0;
      row.origin = known ? WorkOrigin::recorded : WorkOrigin::none;
      row.link_ceiling = route.link_ceiling;
      times_s_.emplace_back();
    }
    KernelRow& row = rows_[entry->second];
    if (look_at_times_ && disturbed_.contains(record.start_ns)) {
      row.disturbed_indices.push_back(static_cast<std::uint32_t>(index));
      return;
    }
    row.launch_indices.push_back(static_cast<std::uint32_t>(index));
    const bool timed = store::has_times(record.start_ns, record.end_ns);
    times_s_[entry->second].push_back(
        timed ? 1e-9 * static_cast<double>(record.end_ns - record.start_ns) : 0.0);
    if (record.graph_node_id == 0) ++row.work.launches;
    if (route.level && record.bytes > 0) {
      row.work.bytes[*route.level] += route.passes * static_cast<double>(record.bytes);
    }
  }

  std::vector<KernelRow> take() {
    for (std::size_t i = 0; i < rows_.size(); ++i) set_times(rows_[i], times_s_[i]);
    return std::move(rows_);
  }

 private:
  using Key = std::tuple<RowKind, std::tuple<std::int32_t, std::int32_t, std::int32_t>, int>;
  const DisturbedTime& disturbed_;
  bool look_at_times_;
  std::vector<KernelRow> rows_;
  std::vector<std::vector<double>> times_s_;  // by row
  std::map<Key, std::size_t> row_of_;
};

}  // namespace

std::vector<KernelRow> memory_rows(const store::Profile& profile, const DisturbedTime& disturbed,
                                   bool all_disturbed) {
  MemoryRows rows(disturbed, all_disturbed);
  for (std::size_t i = 0; i < profile.memcpys.size(); ++i) {
    const store::MemcpyRecord& copy = profile.memcpys[i];
    rows.add(RowKind::memcpy, copy, i, {copy.copy_kind, copy.src_kind, copy.dst_kind},
             route_of(copy.copy_kind), [&] {
               return store::copy_name({copy.copy_kind, copy.src_kind, copy.dst_kind});
             });
  }
  for (std::size_t i = 0; i < profile.memsets.size(); ++i) {
    const store::MemsetRecord& fill = profile.memsets[i];
    rows.add(RowKind::memset, fill, i, {fill.mem_kind, 0, 0}, {MemoryLevel::hbm, 1, ""},
             [&] { return store::fill_name(fill.mem_kind); });
  }
  return rows.take();
}

}  // namespace mansard::analysis
