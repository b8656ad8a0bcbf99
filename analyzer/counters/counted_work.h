// SPDX-License-Identifier: Apache-2.0
// What the hardware counted of a few launches of each kernel, for all of its launches.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "analyzer/counters/launch_signature.h"
#include "analyzer/counters/work_kinds.h"
#include "analyzer/speed_of_light.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

// FLOPs as executed (padding and recomputation included) and bytes as moved. What was not read, or
// not completely, is missing.
struct CountedWork {
  // Per launch.
  std::map<Precision, double> flop;
  std::map<MemoryLevel, double> bytes;
  // Per second of this kernel, if launches with different work have the same signature: a mean
  // over them that does not hold for a single launch.
  std::map<Precision, double> flop_per_s;
  std::map<MemoryLevel, double> bytes_per_s;

  // Median of the launches that were read, in the clock they were read at; 0: not known.
  double duration_s = 0;

  bool has_amounts() const { return !flop.empty() || !bytes.empty() || has_rates(); }
  bool has_rates() const { return !flop_per_s.empty() || !bytes_per_s.empty(); }
  // In which most FLOPs are; none without FLOPs.
  std::optional<Precision> main_precision() const;
};

class CountedWorks {
 public:
  // From Profile::counter_readings, by signature and kind of work. What was not read of a kind is
  // taken from the signature's other launches. `kinds` must be of this profile.
  CountedWorks(const store::Profile& profile, const WorkKinds& kinds);

  // Returns the work of a launch of this kind; null if its signature was not read.
  const CountedWork* of(const store::KernelRecord& kernel, std::uint16_t kind) const;
  bool empty() const { return works_.empty(); }

 private:
  using Key = std::pair<LaunchSignature, std::uint16_t>;
  std::map<Key, CountedWork> works_;  // kOne: of all launches of a signature
};

}  // namespace mansard::analysis
