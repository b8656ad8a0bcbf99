// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "analyzer/activity.h"
#include "analyzer/kernel_rows.h"
#include "analyzer/run_notes.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// "1 annotated range", "3 annotated ranges"
std::string range_count(std::size_t count) {
  return format_whole(count) + (count == 1 ? " annotated range" : " annotated ranges");
}

// `mansard profile` always records API calls.
std::string how_to_record_calls(const store::SessionInfo& session) {
  if (session.state == store::RecordingState::foreign) {
    return "If you can run the program yourself, record it with `nsys profile --trace=cuda,nvtx` "
           "or "
           "`mansard profile`.";
  }
  return "If you can run the program yourself, record it with `mansard profile`.";
}

}  // namespace

void add_annotation_notes(const store::Profile& profile, const Attribution& attribution,
                          const KernelNames& names, const std::vector<KernelShare>& shares,
                          const KernelRules& rules, std::vector<std::string>& notes) {
  if (attribution.open_ranges > 0) {
    notes.push_back(range_count(attribution.open_ranges) +
                    " still open when recording ended: ignored.");
  }
  if (!attribution.ranges.empty() && has_device_activity(profile) && profile.api_calls.empty()) {
    notes.emplace_back(
        "The profile has no CUDA API calls, so kernels cannot be matched to annotated ranges. " +
        how_to_record_calls(profile.session));
    return;
  }

  std::int64_t of_graphs = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    of_graphs += shares[i].range >= 0 && profile.kernels[i].graph_node_id != 0 ? 1 : 0;
  }
  if (of_graphs > 0) {
    notes.push_back(
        "Kernels of CUDA graphs whose FLOPs and bytes are those of the same kernel outside of "
        "graphs: " +
        format_whole(of_graphs) + ".");
  }

  std::vector<bool> receives(attribution.ranges.size());
  std::vector<bool> assumes_precision(attribution.ranges.size());
  // A launch whose counters were read has no kernel record, but its range's work is not lost.
  for (const std::int32_t range : attribution.range_of_reading) {
    if (range >= 0) receives[static_cast<std::size_t>(range)] = true;
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].range < 0) continue;
    const auto range = static_cast<std::size_t>(shares[i].range);
    receives[range] = true;
    const kernels::WorkAnnotation& work = *attribution.ranges[range].work;
    if (!work.modeled && work.flop > 0 &&
        !work_precision(work, names[names.of_kernel(i)].by_rules.precision)) {
      assumes_precision[range] = true;
    }
  }
  std::size_t lost = 0;
  std::size_t assumed = 0;
  std::size_t unknown_keys = 0;
  std::set<std::string> unknown_classes;
  for (std::size_t i = 0; i < attribution.ranges.size(); ++i) {
    const AttributedRange& range = attribution.ranges[i];
    const kernels::WorkAnnotation& work = *range.work;
    if (work.modeled) continue;  // the program did not write it
    if (range.device_work && !receives[i] && has_amounts(work)) ++lost;
    const bool host_assumes = !range.device_work && work.flop > 0 && !work.precision &&
                              !rules.classify(work.name).precision;
    if (assumes_precision[i] || host_assumes) ++assumed;
    if (work.unknown_keys > 0) ++unknown_keys;
    if (!work.operation_class.empty() && !rules.is_operation_class(work.operation_class)) {
      unknown_classes.insert(work.operation_class);
    }
  }
  if (lost > 0) {
    notes.push_back(
        range_count(lost) +
        " with device work but no recorded kernel directly inside (only memcpys, memsets, a CUDA "
        "graph or nested annotated ranges): FLOPs and bytes not counted.");
  }
  if (assumed > 0) {
    notes.push_back(
        range_count(assumed) +
        " with flop= but no precision=, and the kernel name does not give one: " + "counted as " +
        std::string(info(kAssumedPrecision).label) + ". Add precision= to the annotation.");
  }
  if (unknown_keys > 0) {
    notes.push_back(range_count(unknown_keys) +
                    " with unknown keys, which were ignored: check their spelling.");
  }
  for (const std::string& name : unknown_classes) {
    notes.push_back("Annotations use the operation class '" + name +
                    "', which Mansard does not define; it is shown as given.");
  }
}

}  // namespace mansard::analysis
