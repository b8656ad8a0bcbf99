// SPDX-License-Identifier: Apache-2.0
// When the last rank began each collective: until then the others' kernels only wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

class CollectiveArrivals {
 public:
  // The n-th kernel of a name on one device belongs to the n-th of that name on those others whose
  // n-th ends with it, where all devices that have the name have as many of it: groups of ranks
  // that do the same apart from each other end apart from each other. Ranks of a job, brought onto
  // one clock by `mansard merge`. Nothing is known of kernels that only one device has, of names of
  // which devices have different numbers, and where two do not overlap, which no collective does.
  CollectiveArrivals(const RunAnalysis& run, OperationClass operation_class);

  // `kernel` is an index into Profile::kernels.
  std::optional<std::int64_t> of(std::uint32_t kernel) const {
    const auto found = last_begin_ns_.find(kernel);
    return found == last_begin_ns_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  void add_groups(const store::RecordList<store::KernelRecord>& kernels,
                  std::vector<std::uint32_t> nth);

  std::unordered_map<std::uint32_t, std::int64_t> last_begin_ns_;
};

}  // namespace mansard::analysis
