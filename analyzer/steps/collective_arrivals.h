// SPDX-License-Identifier: Apache-2.0
// Time at which the last rank starts each collective: until then the kernels of the others wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

class CollectiveArrivals {
 public:
  // Matches the n-th kernel of a name on each device, if all devices with that name have the same
  // number of them. Matched kernels form one collective if they end at the same time; separate
  // groups of ranks end at different times. Needs aligned clocks (`mansard merge`). Unknown:
  // kernels on one device only, names with different counts, and matched kernels that do not
  // overlap.
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
