// SPDX-License-Identifier: Apache-2.0
// What the hardware counted of a few launches of each kernel, for all of its launches.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/speed_of_light.h"
#include "collector/store/profile.h"

namespace mansard {

// FLOPs as executed (padding and recomputation included) and bytes as moved. What was not read, or
// not completely, is missing.
struct CountedWork {
  // Of one launch, or, if the launches that were read differ, of one second of this kernel: a
  // persistent kernel has the same grid whatever the shapes of its matrices.
  std::map<Precision, double> flop;
  std::map<MemoryLevel, double> bytes;
  bool varies = false;
  int launches_read = 0;

  bool has_amounts() const { return !flop.empty() || !bytes.empty(); }
  double scale(double duration_s) const { return varies ? duration_s : 1.0; }
  // In which most FLOPs are; none without FLOPs.
  std::optional<Precision> main_precision() const;
};

class CountedWorks {
 public:
  // From Profile::counter_readings, by kernel, grid, block and dynamic shared memory.
  explicit CountedWorks(const Profile& profile);

  // nullptr: this kernel was not read.
  const CountedWork* of(const KernelRecord& kernel) const;
  bool empty() const { return works_.empty(); }

 private:
  struct Key {
    StringId name = 0;
    std::array<std::int32_t, 3> grid = {};
    std::array<std::int32_t, 3> block = {};
    std::int32_t dynamic_shared_bytes = 0;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, CountedWork> works_;
};

}  // namespace mansard
