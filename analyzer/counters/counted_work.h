// SPDX-License-Identifier: Apache-2.0
// Work of kernels measured by hardware counters: counts of a few launches, applied to all launches.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>

#include "analyzer/counters/work_kinds.h"
#include "analyzer/kernel_signature.h"
#include "analyzer/speed_of_light.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

// Executed FLOPs (including padding and recomputation) and moved bytes. Amounts that were not read,
// or not completely, are missing.
struct CountedWork {
  // Whether the operations of tensor cores were read, so that a kernel without FLOPs executes none
  // on them.
  bool counts_tensor_cores = false;
  // Per launch.
  std::map<Precision, double> flop;
  std::map<MemoryLevel, double> bytes;
  // Per second, if launches with the same signature do different work: a mean over those launches
  // that does not apply to a single launch.
  std::map<Precision, double> flop_per_s;
  std::map<MemoryLevel, double> bytes_per_s;

  // Median of the read launches, at the clock during reading; 0: unknown.
  double duration_s = 0;
  // A part of the counts of a CUDA graph (graph_counts.h).
  bool is_part = false;

  bool has_amounts() const { return !flop.empty() || !bytes.empty() || has_rates(); }
  bool has_rates() const { return !flop_per_s.empty() || !bytes_per_s.empty(); }
  // The precision with most FLOPs; empty without FLOPs.
  std::optional<Precision> main_precision() const;
};

// The work that the readings of a whole graph tell: its bytes and its tensor-core FLOPs.
CountedWork work_of_graph(const store::Profile& profile,
                          std::span<const store::CounterReading* const> readings);

class CountedWorks {
 public:
  // From Profile::counter_readings of kernels, by signature and kind of work. Metrics that were not
  // read for a kind are taken from the signature's other launches. `kinds` must be of this profile.
  CountedWorks(const store::Profile& profile, const WorkKinds& kinds);

  // Returns the work of a launch of this kind; null if its signature was not read.
  const CountedWork* of(const store::KernelRecord& kernel, std::uint16_t kind) const;
  bool empty() const { return works_.empty(); }

 private:
  using Key = std::pair<KernelSignature, std::uint16_t>;
  std::map<Key, CountedWork> works_;  // kOne: all launches of a signature
};

}  // namespace mansard::analysis
