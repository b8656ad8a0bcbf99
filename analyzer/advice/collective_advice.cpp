// SPDX-License-Identifier: Apache-2.0
// Collectives that no kernel hides: whether ranks wait for each other, messages are too small, or
// they could overlap.
#include "analyzer/advice/advice.h"
#include "analyzer/steps/collective_times.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr std::size_t kMostRows = 3;  // the rest is in the table of collectives
constexpr double kMostlyWaiting = 0.5;
constexpr double kSlow = 0.5;  // of the NVLink ceiling
// The default of DistributedDataParallel's bucket_cap_mb: PyTorch gathers gradients up to this size
// so that all-reduces are bound by bandwidth.
constexpr double kSmall_bytes = 25.0 * 1024 * 1024;

std::string what_helps(const KernelRow& row, const CollectiveTimes& times) {
  if (times.wait_s && *times.wait_s > kMostlyWaiting * row.time_s) {
    return "Most of its time is waiting for the last rank: give all ranks the same work; the "
           "analysis 'ranks' shows which one starts last.";
  }
  const auto nvlink = row.limit.bandwidth_s.find(MemoryLevel::nvlink);
  const bool slow =
      nvlink == row.limit.bandwidth_s.end() || nvlink->second < kSlow * times.transfer_s;
  if (row.message && row.message->bytes < kSmall_bytes && slow) {
    return "Messages below 25 MiB are bound by latency rather than bandwidth: send fewer and "
           "larger "
           "ones (bucket_cap_mb of DistributedDataParallel, larger FSDP units).";
  }
  return "Start it as soon as its data is ready, on a stream of its own, so that kernels hide it "
         "(gradient buckets during backward, prefetching of parameters).";
}

}  // namespace

std::vector<Advice> advise_on_collectives(const RunAnalysis& run, const RunUnit& unit) {
  const std::vector<std::size_t> exposed =
      costliest_rows(run, unit, kMostRows, [](const KernelRow& row) {
        return row.kind == RowKind::kernel && row.operation_class == kCollectiveClass;
      });
  if (exposed.empty()) return {};
  const CollectiveArrivals arrivals(run, kCollectiveClass);
  std::vector<Advice> out;
  for (const std::size_t i : exposed) {
    const KernelRow& row = run.rows[i];
    const CollectiveTimes times = collective_times(run, i, arrivals);
    Advice advice;
    advice.id = "collectives";
    advice.title = row.short_name + " is not hidden";
    advice.concerned_s = unit.duration_s(i);
    advice.saving_s = unit.time_s(i);
    advice.row_savings = {{.row = i, .time_s = unit.time_s(i)}};
    advice.text = "It takes " + format_si(advice.concerned_s, "s") + " in " +
                  format_count(unit.launches(i)) + " launches per " + std::string(unit.name()) +
                  (row.message ? " (" + row.message->text() + ")" : "") + ", " +
                  format_si(*advice.saving_s, "s") + " of it while no kernel computes";
    if (times.wait_s) {
      advice.text += ", and waits for " + format_percent(*times.wait_s / row.time_s) + " of it";
    }
    const auto bus = row.message ? row.message->bus_bytes() : std::nullopt;
    if (bus && times.transfer_s > 0) {
      advice.text += "; bus bandwidth " +
                     format_si(*bus * static_cast<double>(row.launches) / times.transfer_s, "B/s");
    }
    advice.text += ". " + what_helps(row, times);
    advice.rows = {i};
    out.push_back(std::move(advice));
  }
  return out;
}

}  // namespace mansard::analysis
