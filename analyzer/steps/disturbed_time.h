// SPDX-License-Identifier: Apache-2.0
// The part of a profile in which reading hardware counters slowed the program down. Each launch
// that is read stops the program for milliseconds, and may leave no kernel record, so times, rates,
// counts and energy are taken from the rest.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/steps/step.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

struct TimeInterval {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

// Sorts intervals and merges those that touch or overlap.
std::vector<TimeInterval> merged(std::vector<TimeInterval> intervals);

// The recorded pauses for reading counters, in order. Those less than 0.1 s apart are one: the
// queue of the device, which was empty, must fill again before steps take their usual time.
std::vector<TimeInterval> counter_pauses(const store::Profile& profile);

class DisturbedTime {
 public:
  DisturbedTime() = default;  // nothing was read

  // If a launch was read in a step, or a pause overlaps it, the whole step is disturbed, on all
  // devices, as the others wait for the device that is read. Likewise for the time before the first
  // step and after the last. `steps` has one element per device.
  DisturbedTime(const store::Profile& profile, const std::vector<Steps>& steps);

  bool any() const { return !intervals_.empty(); }
  bool contains(std::int64_t time_ns) const;
  bool overlaps(std::int64_t start_ns, std::int64_t end_ns) const;
  // The disturbed part of the time from `start_ns` to `end_ns`.
  std::int64_t disturbed_ns(std::int64_t start_ns, std::int64_t end_ns) const;
  // Undisturbed intervals from `start_ns` to `end_ns`, in order.
  std::vector<TimeInterval> undisturbed(std::int64_t start_ns, std::int64_t end_ns) const;

 private:
  // The first interval that ends after `time_ns`.
  std::vector<TimeInterval>::const_iterator first_after(std::int64_t time_ns) const;

  std::vector<TimeInterval> intervals_;  // sorted by start; they neither touch nor overlap
};

}  // namespace mansard::analysis
