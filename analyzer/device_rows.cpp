// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "analyzer/activity.h"
#include "analyzer/launch_work.h"
#include "analyzer/row_builder.h"

namespace mansard {

namespace {

struct GroupKey {
  std::uint32_t name = 0;
  std::int32_t precision = -1;
  std::int64_t operation_class = 0;
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::int64_t shared_bytes = 0;
  bool has_work = false;

  bool operator==(const GroupKey&) const = default;
};

struct GroupHash {
  std::size_t operator()(const GroupKey& key) const {
    std::uint64_t hash = 0;
    const auto mix = [&hash](std::int64_t value) {
      hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    };
    mix(key.name);
    mix(key.precision);
    mix(key.operation_class);
    for (const std::int32_t n : key.grid) mix(n);
    for (const std::int32_t n : key.block) mix(n);
    mix(key.shared_bytes);
    mix(key.has_work);
    return hash;
  }
};

double duration_s(const KernelRecord& kernel) {
  return has_times(kernel.start_ns, kernel.end_ns)
             ? static_cast<double>(kernel.end_ns - kernel.start_ns) * 1e-9
             : 0.0;
}

WorkOrigin origin_of(bool annotated, const CountedWork* counted) {
  if (counted == nullptr) return annotated ? WorkOrigin::annotated : WorkOrigin::none;
  if (annotated) return WorkOrigin::annotated_and_counted;
  return counted->varies ? WorkOrigin::counted_rate : WorkOrigin::counted;
}

// Classes as small numbers, so that a million kernels need no million strings.
class ClassNumbers {
 public:
  std::int64_t of(std::string_view name) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return static_cast<std::int64_t>(i);
    }
    names_.push_back(name);
    return static_cast<std::int64_t>(names_.size()) - 1;
  }
  std::string_view operator[](std::int64_t number) const {
    return names_[static_cast<std::size_t>(number)];
  }

 private:
  std::vector<std::string_view> names_;
};

}  // namespace

std::vector<KernelRow> device_rows(const Profile& profile, const Attribution& attribution,
                                   const KernelNames& names, const std::vector<KernelShare>& shares,
                                   const CountedWorks& counted) {
  std::vector<KernelRow> rows;
  std::vector<const CountedWork*> counted_of_row;
  std::unordered_map<GroupKey, std::size_t, GroupHash> row_of;
  ClassNumbers classes;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const KernelRecord& kernel = profile.kernels[i];
    const KernelName& name = names[names.of_kernel(i)];
    const WorkAnnotation* work =
        shares[i].range < 0 ? nullptr
                            : attribution.ranges[static_cast<std::size_t>(shares[i].range)].work;
    const std::optional<Precision> precision =
        work != nullptr ? work_precision(*work, name.by_rules.precision) : name.by_rules.precision;

    GroupKey key;
    key.name = names.of_kernel(i);
    key.precision = precision ? static_cast<std::int32_t>(*precision) : -1;
    key.operation_class = classes.of(work != nullptr && !work->operation_class.empty()
                                         ? std::string_view(work->operation_class)
                                         : name.by_rules.operation_class);
    key.grid = kernel.grid;
    key.block = kernel.block;
    key.shared_bytes =
        std::int64_t{kernel.static_shared_bytes} + std::int64_t{kernel.dynamic_shared_bytes};
    key.has_work = work != nullptr && has_amounts(*work);

    const auto [entry, is_new] = row_of.try_emplace(key, rows.size());
    if (is_new) {
      KernelRow& row = rows.emplace_back();
      row.target = Target::cuda;
      row.name = name.full;
      row.short_name = name.short_name;
      row.operation_class = classes[key.operation_class];
      row.precision = precision;
      row.library = name.by_rules.library;
      row.pass = name.by_rules.pass;
      row.grid = key.grid;
      row.block = key.block;
      row.shared_bytes = key.shared_bytes;
      const CountedWork* found = counted_of_row.emplace_back(counted.of(kernel));
      row.origin = origin_of(key.has_work, found);
      if (!precision && found != nullptr) row.precision = found->main_precision();
    }
    KernelRow& row = rows[entry->second];
    row.launch_indices.push_back(static_cast<std::uint32_t>(i));
    // The nodes of a graph are launched together: the cost of a launch in a stream is not theirs.
    if (kernel.graph_node_id == 0) ++row.work.launches;
    if (key.has_work) add_annotated(row.work, *work, row.precision, shares[i].fraction);
    if (const CountedWork* found = counted_of_row[entry->second]) {
      add_counted(row.work, key.has_work ? work : nullptr, *found, duration_s(kernel));
    }
  }

  std::vector<double> durations_s;
  for (KernelRow& row : rows) {
    durations_s.clear();
    for (const std::size_t i : row.launch_indices) {
      durations_s.push_back(duration_s(profile.kernels[i]));
    }
    row.launch_indices.shrink_to_fit();
    set_times(row, durations_s);
  }
  return rows;
}

}  // namespace mansard
