// SPDX-License-Identifier: Apache-2.0
// Exposed collectives: ranks wait for each other, messages are too small, or more overlap is
// possible.
#include "analyzer/advice/advice.h"
#include "analyzer/steps/collective_times.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr std::size_t kMaxRows = 3;  // the table of collectives has all
constexpr double kMostlyWaiting = 0.5;
constexpr double kSlow = 0.5;  // share of the NVLink ceiling
// Default of DistributedDataParallel's bucket_cap_mb: PyTorch buckets gradients up to this size so
// that all-reduces are bandwidth-bound.
constexpr double kSmall_bytes = 25.0 * 1024 * 1024;

std::string what_helps(const KernelRow& row, const CollectiveTimes& times) {
  if (times.wait_s && *times.wait_s > kMostlyWaiting * row.time_s) {
    return "Most of this is waiting for the last rank: balance the work of the ranks. The "
           "analysis 'ranks' shows which rank starts last.";
  }
  const auto nvlink = row.sol.bandwidth_s.find(MemoryLevel::nvlink);
  const bool slow =
      nvlink == row.sol.bandwidth_s.end() || nvlink->second < kSlow * times.transfer_s;
  if (row.message && row.message->bytes < kSmall_bytes && slow) {
    return "Messages below 25 MiB are latency-bound: send fewer and larger messages "
           "(bucket_cap_mb of DistributedDataParallel, larger FSDP units).";
  }
  return "Overlap it with compute: start it as soon as its data is ready, on a separate stream "
         "(gradient buckets during backward, parameter prefetching).";
}

}  // namespace

std::vector<Advice> advise_on_collectives(const RunAnalysis& run, const RunUnit& unit) {
  const std::vector<std::size_t> exposed =
      costliest_rows(run, unit, kMaxRows, [](const KernelRow& row) {
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
    advice.title = "Exposed communication: " + row.short_name;
    advice.concerned_s = unit.duration_s(i);
    advice.saving_s = unit.time_s(i);
    advice.row_savings = {{.row = i, .time_s = unit.time_s(i)}};
    advice.text = "It takes " + format_si(advice.concerned_s, "s") + " in " +
                  format_count(unit.launches(i)) + " launches per " + std::string(unit.name()) +
                  (row.message ? " (" + row.message->text() + ")" : "") + "; " +
                  format_si(*advice.saving_s, "s") + " of this is exposed (no compute kernel runs)";
    if (times.wait_s) {
      advice.text +=
          "; " + format_percent(*times.wait_s / row.time_s) + " is waiting for other ranks";
    }
    const auto bus = row.message ? row.message->bus_bytes() : std::nullopt;
    if (bus && times.transfer_s > 0) {
      advice.text += "; bus bandwidth " +
                     format_si(*bus * static_cast<double>(row.launches) / times.transfer_s, "B/s");
    }
    advice.text += ".";
    advice.remedy = what_helps(row, times);
    advice.rows = {i};
    out.push_back(std::move(advice));
  }
  return out;
}

}  // namespace mansard::analysis
