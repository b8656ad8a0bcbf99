// SPDX-License-Identifier: Apache-2.0
#include "gui/models/launch_columns.h"

#include <algorithm>
#include <map>

namespace mansard::gui {
namespace {

class Builder {
 public:
  explicit Builder(std::size_t launches) {
    out_.start_ns.reserve(launches);
    out_.end_ns.reserve(launches);
    out_.row.reserve(launches);
    out_.stream.reserve(launches);
  }

  void add(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t row, const StreamKey& stream) {
    out_.start_ns.push_back(start_ns);
    out_.end_ns.push_back(end_ns);
    out_.row.push_back(row);
    out_.stream.push_back(number_of(stream));
  }

  LaunchColumns take() {
    sort_streams();
    return std::move(out_);
  }

 private:
  std::uint32_t number_of(const StreamKey& stream) {
    // Launches of one stream are often adjacent.
    if (!out_.streams.empty() && out_.streams[last_] == stream) return last_;
    const auto [found, is_new] =
        numbers_.try_emplace(stream, static_cast<std::uint32_t>(out_.streams.size()));
    if (is_new) out_.streams.push_back(stream);
    return last_ = found->second;
  }

  void sort_streams() {
    std::vector<std::uint32_t> place(out_.streams.size());
    std::uint32_t next = 0;
    for (const auto& [stream, number] : numbers_) place[number] = next++;
    std::ranges::sort(out_.streams);
    for (std::uint32_t& number : out_.stream) number = place[number];
  }

  LaunchColumns out_;
  std::map<StreamKey, std::uint32_t> numbers_;
  std::uint32_t last_ = 0;
};

// Host run: the annotated ranges are its launches.
bool on_host(const analysis::RunAnalysis& run) {
  return run.profile.kernels.empty() &&
         std::ranges::any_of(run.rows, [](const analysis::KernelRow& r) {
           return r.target == kernels::Target::host;
         });
}

// Launch indices of a row refer to kernels or, for a host row, to ranges. Launches disturbed by
// counter collection get no row: no statistic of a row includes them.
std::vector<std::uint32_t> rows_by_record(const analysis::RunAnalysis& run, analysis::RowKind kind,
                                          std::size_t records) {
  std::vector<std::uint32_t> row_of(records, LaunchColumns::kNoRow);
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    if (run.rows[row].kind != kind) continue;
    for (const std::uint32_t record : run.rows[row].launch_indices) {
      row_of[record] = static_cast<std::uint32_t>(row);
    }
  }
  return row_of;
}

LaunchColumns of_kernels(const analysis::RunAnalysis& run) {
  const store::RecordList<store::KernelRecord>& kernels = run.profile.kernels;
  const std::vector<std::uint32_t> row_of =
      rows_by_record(run, analysis::RowKind::kernel, kernels.size());
  Builder builder(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const store::KernelRecord& k = kernels[i];
    builder.add(k.start_ns, std::max(k.start_ns, k.end_ns), row_of[i],
                {k.device_id, k.context_id, k.stream_id});
  }
  return builder.take();
}

LaunchColumns of_ranges(const analysis::RunAnalysis& run) {
  const store::RecordList<store::NvtxRecord>& ranges = run.profile.nvtx;
  const std::vector<std::uint32_t> row_of =
      rows_by_record(run, analysis::RowKind::host_range, ranges.size());
  Builder builder(0);
  std::vector<std::uint32_t> record;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (row_of[i] == LaunchColumns::kNoRow || ranges[i].end_ns < ranges[i].start_ns) continue;
    builder.add(ranges[i].start_ns, ranges[i].end_ns, row_of[i], {-1, 0, ranges[i].global_tid});
    record.push_back(static_cast<std::uint32_t>(i));
  }
  LaunchColumns columns = builder.take();
  columns.record = std::move(record);
  return columns;
}

}  // namespace

LaunchColumns launch_columns(const analysis::RunAnalysis& run) {
  return on_host(run) ? of_ranges(run) : of_kernels(run);
}

}  // namespace mansard::gui
