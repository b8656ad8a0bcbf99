// SPDX-License-Identifier: Apache-2.0
// The CSV table of launches with their analysis.
#include <set>

#include "analyzer/launch_work.h"
#include "reports/export/csv_writer.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

// The memory tiers for which any kernel has known bytes.
std::set<MemoryLevel> levels_of(const analysis::RunAnalysis& run) {
  std::set<MemoryLevel> levels;
  for (const analysis::KernelRow& row : run.rows) {
    if (row.target == kernels::Target::host) continue;
    for (const auto& [level, bytes] : row.work.bytes) {
      if (bytes > 0) levels.insert(level);
    }
  }
  return levels;
}

std::vector<std::string> header(const std::set<MemoryLevel>& levels) {
  std::vector<std::string> keys = {
      "start_ns",  "duration_ns", "device",    "context", "stream",    "correlation",
      "name",      "class",       "precision", "grid",    "block",     "shared_memory_bytes",
      "registers", "graph_node",  "disturbed", "flop",    "flop_per_s"};
  for (const MemoryLevel level : levels) keys.push_back(std::string(info(level).key) + "_bytes");
  for (const char* key : {"sol_s", "bound", "range", "range_path"}) keys.emplace_back(key);
  return keys;
}

class LaunchRows {
 public:
  LaunchRows(const ExportInput& input, ByteSink& sink)
      : run_(input.run),
        profile_(input.run.profile),
        works_(input.run, input.rules != nullptr ? *input.rules : analysis::kernel_rules()),
        ranges_(input.run.profile, input.run.options.step_range),
        levels_(levels_of(input.run)),
        csv_(sink, header(levels_)) {}

  void write() {
    for (std::size_t i = 0; i < profile_.kernels.size(); ++i) {
      add_launch(profile_.kernels[i], works_.row(i));
      add_work(i);
      add_ranges(i);
      csv_.end_row();
    }
    csv_.finish();
  }

 private:
  void add_launch(const store::KernelRecord& kernel, const analysis::KernelRow* row) {
    csv_.add_times(kernel.start_ns, kernel.end_ns);
    csv_.add(std::int64_t{kernel.device_id});
    csv_.add(std::int64_t{kernel.context_id});
    csv_.add(std::int64_t{kernel.stream_id});
    csv_.add(kernel.correlation_id);
    csv_.add(profile_.string(kernel.demangled_name));
    csv_.add(row != nullptr ? std::string_view(row->operation_class) : std::string_view());
    csv_.add(row != nullptr && row->precision ? info(*row->precision).label : std::string_view());
    csv_.add(extent_text(kernel.grid));
    csv_.add(extent_text(kernel.block));
    csv_.add(std::int64_t{kernel.static_shared_bytes} + std::int64_t{kernel.dynamic_shared_bytes});
    csv_.add(std::int64_t{kernel.registers_per_thread});
    kernel.graph_node_id != 0 ? csv_.add(kernel.graph_node_id) : csv_.add_unknown();
    // Disturbed by reading hardware counters: the kernel table excludes the launch.
    csv_.add(std::int64_t{!run_.all_disturbed && run_.disturbed.contains(kernel.start_ns)});
  }

  void add_work(std::size_t index) {
    const store::KernelRecord& kernel = profile_.kernels[index];
    const analysis::WorkTotals work = works_.work(index);
    const double flop = work.total_flop();
    const bool timed =
        store::has_times(kernel.start_ns, kernel.end_ns) && kernel.end_ns > kernel.start_ns;
    csv_.add_positive(flop);
    csv_.add_positive(timed ? flop / (1e-9 * static_cast<double>(kernel.end_ns - kernel.start_ns))
                            : 0);
    for (const MemoryLevel level : levels_) {
      const auto bytes = work.bytes.find(level);
      csv_.add_positive(bytes == work.bytes.end() ? 0 : bytes->second);
    }
    const analysis::SpeedOfLight sol = works_.sol(index, work);
    csv_.add_positive(sol.time_s);
    csv_.add(sol.time_s > 0 ? std::string_view(sol.bound_label) : std::string_view());
  }

  void add_ranges(std::size_t index) {
    // A recursive program can have thousands of nested ranges. Keep the outermost and innermost.
    constexpr std::size_t kEnds = 32;
    std::string innermost;
    std::string path;
    const auto around = ranges_.around(profile_, analysis::launches_of(run_), index);
    for (std::size_t depth = 0; depth < around.size(); ++depth) {
      if (around.size() > 2 * kEnds && depth == kEnds) {
        depth = around.size() - kEnds;
        path += " / (" + std::to_string(depth - kEnds) + " more)";
      }
      innermost = analysis::range_name(profile_, profile_.nvtx[around[depth]]);
      if (!path.empty()) path += " / ";
      path += innermost;
    }
    csv_.add(innermost);
    csv_.add(path);
  }

  const analysis::RunAnalysis& run_;
  const store::Profile& profile_;
  analysis::LaunchWork works_;
  analysis::LaunchRanges ranges_;
  std::set<MemoryLevel> levels_;
  CsvWriter csv_;
};

}  // namespace

void write_launches(const ExportInput& input, ByteSink& sink) { LaunchRows(input, sink).write(); }

}  // namespace mansard::reports
