// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/idle_causes.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "analyzer/steps/by_range_name.h"

namespace mansard::analysis {

namespace {

bool has_part(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool mentions_loading(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view part :
       {"dataloader", "data_loader", "data loader", "data loading", "data_loading", "load batch",
        "load_batch", "next batch", "get_batch", "fetch data"}) {
    if (has_part(lower, part)) return true;
  }
  return false;
}

std::int64_t overlap_ns(std::int64_t start_a, std::int64_t end_a, std::int64_t start_b,
                        std::int64_t end_b) {
  return std::max<std::int64_t>(0, std::min(end_a, end_b) - std::max(start_a, start_b));
}

}  // namespace

const std::array<IdleCauseInfo, kIdleCauses>& idle_cause_infos() {
  static const std::array<IdleCauseInfo, kIdleCauses> kInfos = {{
      {IdleCause::between_kernels, "between_kernels", "between kernels",
       "Kernel-to-kernel gap: the next kernel was already queued",
       "Launch fewer and larger kernels: fuse kernels, or use a larger batch."},
      {IdleCause::launching, "launching", "launching",
       "Launch-bound: inside launch API calls, or from a launch call to the start on the device",
       "Use CUDA graphs (mode=\"reduce-overhead\" of torch.compile), or fuse kernels."},
      {IdleCause::synchronization, "synchronization", "synchronization",
       "The launching thread waited for the device, then launched to an idle device",
       "Synchronize less often: avoid .item(), .cpu() and blocking copies within the step."},
      {IdleCause::host_code, "host_code", "host code",
       "Host-bound: the launching thread ran program code outside CUDA API calls",
       "Reduce the work of the host between launches: use torch.compile or CUDA graphs."},
      {IdleCause::data_loading, "data_loading", "data loading",
       "The launching thread was in an NVTX range named after data loading",
       "Load data in other threads or processes (num_workers of DataLoader), ahead of the step."},
      {IdleCause::cuda_calls, "cuda_calls", "other API calls",
       "The launching thread was in CUDA API calls without launch, such as allocations",
       "Allocate before the first step, and reuse memory."},
      {IdleCause::unknown, "unknown", "unknown", "The launching API call was not recorded",
       "Record CUDA API calls to find the cause."},
  }};
  return kInfos;
}

IdleCauses::IdleCauses(const store::Profile& profile) {
  CallKinds kinds(profile);
  for (const store::ApiRecord& call : profile.api_calls) {
    std::vector<Call>& calls = threads_[call.global_tid].calls;
    // Ignores driver calls inside a runtime call.
    if (!calls.empty() && call.start_ns < calls.back().end_ns) continue;
    calls.push_back({call.start_ns, std::max(call.start_ns, call.end_ns), kinds.of(call)});
  }
  ByRangeName<bool> loads(profile, mentions_loading);
  profile.nvtx.for_each([&](std::size_t, const store::NvtxRecord& range) {
    if (range.end_ns < range.start_ns || !loads(range)) return;
    auto& loading = threads_[range.global_tid].loading;
    if (!loading.empty() && range.start_ns < loading.back().second) return;  // inside another
    loading.emplace_back(range.start_ns, range.end_ns);
  });
}

void IdleCauses::add(std::int64_t start_ns, std::int64_t end_ns,
                     const std::optional<store::ApiRecord>& launched, IdleTimes& times) const {
  const auto charge = [&](IdleCause cause, std::int64_t ns) {
    times[static_cast<std::size_t>(cause)] += ns;
  };
  if (!launched) return charge(IdleCause::unknown, end_ns - start_ns);
  if (launched->start_ns <= start_ns) {
    // If the launch call was still running when the device became idle, the time until it returned
    // is launch time; afterwards the activity was queued.
    const std::int64_t called_ns = std::clamp(launched->end_ns, start_ns, end_ns) - start_ns;
    charge(IdleCause::launching, called_ns);
    return charge(IdleCause::between_kernels, end_ns - start_ns - called_ns);
  }
  // Host and device clocks agree to about 1 µs: a call may seem to start after its activity.
  const std::int64_t call_ns = std::min(launched->start_ns, end_ns);
  charge(IdleCause::launching, end_ns - call_ns);

  const Thread& thread = threads_.at(launched->global_tid);
  auto loading = std::partition_point(thread.loading.begin(), thread.loading.end(),
                                      [&](const auto& range) { return range.second <= start_ns; });
  // After synchronizing with the device, and until its next launch, the host has no queued work.
  bool synchronized = false;
  std::int64_t now_ns = start_ns;
  const auto program_until = [&](std::int64_t to_ns) {  // outside API calls
    if (to_ns <= now_ns) return;
    std::int64_t left_ns = to_ns - now_ns;
    while (loading != thread.loading.end() && loading->first < to_ns) {
      const std::int64_t ns = overlap_ns(loading->first, loading->second, now_ns, to_ns);
      charge(IdleCause::data_loading, ns);
      left_ns -= ns;
      if (loading->second > to_ns) break;  // continues after to_ns
      ++loading;
    }
    charge(synchronized ? IdleCause::synchronization : IdleCause::host_code, left_ns);
  };
  auto call = std::partition_point(thread.calls.begin(), thread.calls.end(),
                                   [&](const Call& c) { return c.end_ns <= start_ns; });
  for (; call != thread.calls.end() && call->start_ns < call_ns; ++call) {
    program_until(std::max(start_ns, call->start_ns));
    charge(call->kind == CallKind::synchronize ? IdleCause::synchronization
           : call->kind == CallKind::launch    ? IdleCause::launching
                                               : IdleCause::cuda_calls,
           overlap_ns(call->start_ns, call->end_ns, start_ns, call_ns));
    if (call->kind != CallKind::other) synchronized = call->kind == CallKind::synchronize;
    now_ns = std::clamp(call->end_ns, now_ns, call_ns);
  }
  program_until(call_ns);
}

}  // namespace mansard::analysis
