// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "analyzer/counters/executed_flop.h"
#include "analyzer/launch_work.h"
#include "analyzer/row_times.h"
#include "support/hash.h"

namespace mansard::analysis {

namespace {

struct GroupKey {
  std::uint32_t name = 0;
  std::int32_t precision = -1;
  OperationClass operation_class;
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::int64_t shared_bytes = 0;
  std::uint16_t kind = 0;
  bool annotated = false;
  std::int32_t graph_id = 0;  // of a graph whose counters are divided
  std::uint64_t message = 0;  // CollectiveMessage::group()

  bool operator==(const GroupKey&) const = default;
};

struct GroupHash {
  std::size_t operator()(const GroupKey& key) const {
    HashBuilder hash;
    hash.add(key.name)
        .add(key.precision)
        .add(std::hash<OperationClass>()(key.operation_class))
        .add(key.grid)
        .add(key.block);
    hash.add(key.shared_bytes).add(key.kind).add(key.annotated).add(key.graph_id).add(key.message);
    return hash.hash();
  }
};

constexpr double kSimilarDurations = 1.5;  // durations of launches that do the same work

WorkOrigin origin_of(const kernels::WorkAnnotation* annotation, const CountedWork* counted,
                     const CollectiveMessage* message) {
  if (counted == nullptr) {
    if (annotation != nullptr) {
      return annotation->modeled ? WorkOrigin::modeled : WorkOrigin::annotated;
    }
    const bool known = message != nullptr && message->link_bytes();
    return known ? WorkOrigin::recorded : WorkOrigin::none;
  }
  if (annotation != nullptr) {
    if (!annotation->modeled) return WorkOrigin::annotated_and_counted;
    if (adds_to(*counted, *annotation)) return WorkOrigin::modeled_and_counted;
  }
  if (counted->is_part) return WorkOrigin::divided;
  return counted->has_rates() ? WorkOrigin::counted_rate : WorkOrigin::counted;
}

}  // namespace

std::vector<KernelRow> device_rows(const WorkSources& sources, const DisturbedTime& disturbed,
                                   bool all_disturbed) {
  const store::Profile& profile = sources.profile;
  std::vector<KernelRow> rows;
  std::vector<const CountedWork*> counted_of_row;
  std::vector<double> balanced_flop;  // by row: needed FLOPs of launches with executed ones
  std::unordered_map<GroupKey, std::size_t, GroupHash> row_of;
  const ExecutedFlop executed(sources);
  const bool look_at_times = disturbed.any() && !all_disturbed;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const store::KernelRecord& kernel = profile.kernels[i];
    const KernelName& name = sources.names[sources.names.of_kernel(i)];
    const KernelShare& share = sources.shares[i];
    const kernels::WorkAnnotation* work =
        share.range < 0 ? nullptr
                        : sources.attribution.ranges[static_cast<std::size_t>(share.range)].work;
    const std::optional<Precision> precision =
        work != nullptr ? work_precision(*work, name.by_rules.precision) : name.by_rules.precision;

    GroupKey key;
    key.name = sources.names.of_kernel(i);
    key.precision = precision ? static_cast<std::int32_t>(*precision) : -1;
    key.operation_class = work != nullptr && !work->operation_class.empty()
                              ? OperationClass(work->operation_class)
                              : name.by_rules.operation_class;
    key.grid = kernel.grid;
    key.block = kernel.block;
    key.shared_bytes =
        std::int64_t{kernel.static_shared_bytes} + std::int64_t{kernel.dynamic_shared_bytes};
    key.kind = sources.kinds.of_kernel(i);
    const kernels::WorkAnnotation* stated = sources.annotation(i);
    key.annotated = stated != nullptr;
    if (kernel.graph_id != 0) {
      const CountedWork* found = sources.counted_of(i);
      if (found != nullptr && found->is_part) key.graph_id = kernel.graph_id;
    }
    const CollectiveMessage* message = sources.messages.of(i);
    if (message != nullptr) key.message = message->group();

    const auto [entry, is_new] = row_of.try_emplace(key, rows.size());
    if (is_new) {
      KernelRow& row = rows.emplace_back();
      row.kind = RowKind::kernel;
      row.target = kernels::Target::cuda;
      row.name = name.full;
      row.short_name = name.short_name;
      row.operation_class = key.operation_class;
      row.precision = precision;
      row.library = name.by_rules.library;
      row.pass = name.by_rules.pass;
      row.grid = key.grid;
      row.block = key.block;
      row.shared_bytes = key.shared_bytes;
      if (stated != nullptr) row.shape = stated->shape;
      balanced_flop.push_back(0);
      const CountedWork* found = counted_of_row.emplace_back(sources.counted_of(i));
      row.origin = origin_of(stated, found, message);
      // A part of a graph's counts is an estimate that only holds for the sum.
      row.work_is_mean = uses_rates(stated, found) || (found != nullptr && found->is_part);
      if (!precision && found != nullptr && !is_bandwidth_only(row.operation_class)) {
        row.precision = found->main_precision();
      }
    }
    KernelRow& row = rows[entry->second];
    if (stated != nullptr && row.shape != stated->shape) row.shape.clear();
    if (look_at_times && disturbed.contains(kernel.start_ns)) {
      row.disturbed_indices.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    row.launch_indices.push_back(static_cast<std::uint32_t>(i));
    add_launch(row.work, row, {stated, share, counted_of_row[entry->second], message},
               kernel);
    if (stated != nullptr && stated->flop > 0) {
      const std::optional<FlopBalance> balance = executed.of(i);
      const double needed = balance ? balance->needed : stated->flop * share.flop_fraction;
      row.needed_flop += needed;
      row.causal_flop += stated->causal_flop * needed / stated->flop;
      if (balance) {
        row.executed_flop += balance->executed;
        balanced_flop[entry->second] += balance->needed;
      }
    }
    if (message == nullptr) continue;
    if (!row.message) {
      row.message = *message;
      row.message->bytes = 0;
    }
    row.message->bytes += message->bytes;
  }

  std::vector<double> durations_s;
  for (KernelRow& row : rows) {
    durations_s.clear();
    for (const std::size_t i : row.launch_indices) {
      durations_s.push_back(duration_s(profile.kernels[i]));
    }
    const double balanced = balanced_flop[static_cast<std::size_t>(&row - rows.data())];
    if (balanced > 0) row.executed_flop *= row.needed_flop / balanced;
    row.launch_indices.shrink_to_fit();
    row.disturbed_indices.shrink_to_fit();
    set_times(row, durations_s);
    if (row.message) {
      row.message->bytes /= static_cast<double>(row.launches);
      if (row.shape.empty()) row.shape = row.message->text();
    }
    if (row.origin != WorkOrigin::counted || !disturbed.any()) continue;
    if (row.launches == 0) {
      row.work_is_mean = true;  // the launches may do different work
      continue;
    }
    // Counters of a few launches apply to the other launches if those take as long.
    const bool alike = row.max_s <= kSimilarDurations * row.median_s && row.median_s <= kSimilarDurations * row.min_s;
    if (!alike) row.work_is_mean = true;
    const double read_s = counted_of_row[static_cast<std::size_t>(&row - rows.data())]->duration_s;
    if (read_s > 0 && (read_s > kSimilarDurations * row.max_s || kSimilarDurations * read_s < row.min_s)) {
      // No launch takes as long as the one that was read, which therefore did different work.
      row.work.flop.clear();
      row.work.bytes.clear();
      row.origin = WorkOrigin::none;
      row.work_is_mean = true;
    }
  }
  return rows;
}

}  // namespace mansard::analysis
