// SPDX-License-Identifier: Apache-2.0
#include "analyzer/range_tree.h"

#include <algorithm>
#include <unordered_map>

#include "analyzer/attribution/range_stacks.h"
#include "analyzer/launch_table.h"
#include "analyzer/steps/by_range_name.h"
#include "analyzer/steps/run_unit.h"
#include "analyzer/steps/step_ranges.h"

namespace mansard::analysis {
namespace {

class Builder {
 public:
  Builder(const RunAnalysis& run, const RunUnit& unit)
      : run_(run), unit_(unit), rows_(run.rows.size()) {
    for (std::size_t row = 0; row < run.rows.size(); ++row) {
      const double sol_s = unit.per_unit(row, run.rows[row].sol.time_s);
      if (!(unit.duration_s(row) > 0) || !(sol_s > 0)) continue;
      rows_[row] = {unit.cost_s(row) / unit.duration_s(row), sol_s / unit.duration_s(row),
                    unit.saving_s(row).value_or(0) / unit.duration_s(row)};
    }
    paths_.emplace_back();
    children_.emplace_back();
  }

  std::size_t child(std::size_t parent, const std::string& name) {
    const auto [known, is_new] = children_[parent].try_emplace(name, paths_.size());
    if (is_new) {
      const std::size_t depth = paths_[parent].depth + 1;
      RangePath& path = paths_.emplace_back();
      path.name = name;
      path.parent = parent;
      path.depth = depth;
      children_.emplace_back();
    }
    return children_[parent].at(name);
  }

  std::size_t depth(std::size_t path) const { return paths_[path].depth; }

  // Adds a kernel to a path and all paths around it.
  void add(std::size_t path, std::size_t row, double time_s) {
    const KernelRow& of_row = run_.rows[row];
    paths_[path].self_s += time_s;
    for (;; path = paths_[path].parent) {
      RangePath& sums = paths_[path];
      ++sums.kernels;
      sums.time_s += time_s;
      sums.cost_s += time_s * rows_[row].cost;
      sums.sol_s += time_s * rows_[row].sol;
      sums.saving_s += time_s * rows_[row].saving;
      sums.class_s[of_row.operation_class] += time_s;
      if (path == 0) return;
    }
  }

  // Drops paths without kernels: in steps that are not typical, for example.
  std::vector<RangePath> take() {
    std::vector<RangePath> kept;
    std::vector<std::size_t> place(paths_.size());
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      RangePath& path = paths_[i];
      if (i > 0 && !(path.kernels > 0)) continue;
      place[i] = kept.size();
      path.parent = place[path.parent];
      for (double RangePath::*sum : {&RangePath::kernels, &RangePath::time_s, &RangePath::self_s,
                                     &RangePath::cost_s, &RangePath::sol_s, &RangePath::saving_s}) {
        path.*sum = unit_.per_unit(path.*sum);
      }
      for (auto& [operation_class, time_s] : path.class_s) time_s = unit_.per_unit(time_s);
      kept.push_back(std::move(path));
    }
    return kept;
  }

 private:
  struct PerTime {
    double cost = 0;
    double sol = 0;
    double saving = 0;
  };

  const RunAnalysis& run_;
  const RunUnit& unit_;
  std::vector<PerTime> rows_;  // per second of the row's launches
  std::vector<RangePath> paths_;
  std::vector<std::unordered_map<std::string, std::size_t>> children_;  // by path
};

}  // namespace

RangeTree range_tree(const RunAnalysis& run) {
  const store::Profile& profile = run.profile;
  if (profile.kernels.empty() || profile.nvtx.empty()) return {};
  const LaunchTable& launches = launches_of(run);
  const RunUnit unit(run);
  RangeTree tree;
  tree.by_step = unit.name() == "step";
  const std::string step_kind = find_step_ranges(profile, run.options.step_range).kind;
  Builder builder(run, unit);
  ByRangeName<std::string> kind_of(profile, [](std::string_view text) {
    return without_numbers(text.substr(0, text.find(" | ")));
  });
  const LaunchRanges ranges(profile, run.options.step_range);
  const auto add = [&](std::size_t kernel, std::size_t path) {
    const store::KernelRecord& record = profile.kernels[kernel];
    builder.add(path, launches.row(kernel),
                1e-9 * static_cast<double>(record.end_ns - record.start_ns));
  };
  const auto counts = [&](std::size_t kernel) {
    const store::KernelRecord& record = profile.kernels[kernel];
    return launches.row(kernel) != kNoRow && store::has_times(record.start_ns, record.end_ns) &&
           unit.counts(record.device_id, record.start_ns);
  };
  for (std::size_t kernel = 0; kernel < profile.kernels.size(); ++kernel) {
    if (!launches.call(kernel) && counts(kernel)) add(kernel, 0);
  }
  for (const std::size_t kernel : launches.in_call_order()) {
    if (launches.kind(kernel) != LaunchKind::kernel || !counts(kernel)) continue;
    std::size_t path = 0;
    std::vector<std::string> names;
    for (const std::size_t i : ranges.around(profile, launches, kernel)) {
      const store::NvtxRecord range = profile.nvtx[i];
      if (!is_whole_range(range)) continue;
      const std::string& kind = kind_of(range);
      if (!step_kind.empty() &&
          (kind == step_kind || (!run.options.step_range.empty() && kind.starts_with(step_kind)))) {
        tree.left_out_steps = true;
        continue;
      }
      if (std::ranges::find(names, kind) != names.end()) continue;
      if (builder.depth(path) == kMaxDepth_ranges) break;
      names.push_back(kind);
      path = builder.child(path, kind);
    }
    add(kernel, path);
  }
  tree.paths = builder.take();
  if (tree.paths.size() < 2) return {};
  return tree;
}

}  // namespace mansard::analysis
