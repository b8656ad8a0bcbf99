// SPDX-License-Identifier: Apache-2.0
// The distinct kernel names of a profile, each classified once.
#pragma once

#include <unordered_map>

#include "analyzer/classify/kernel_rules.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

struct KernelName {
  std::string full;  // demangled
  // From the profile, or else derived from `full`; generic kernels with their operation:
  // "elementwise_kernel<direct_copy_kernel_cuda>".
  std::string short_name;
  KernelClass by_rules;
};

class KernelNames {
 public:
  KernelNames(const store::Profile& profile, const KernelRules& rules);

  std::size_t size() const { return names_.size(); }
  const KernelName& operator[](std::size_t index) const { return names_[index]; }
  // Index of the name of Profile::kernels[kernel].
  std::uint32_t of_kernel(std::size_t kernel) const { return of_kernel_[kernel]; }

 private:
  std::vector<KernelName> names_;
  std::vector<std::uint32_t> of_kernel_;
};

}  // namespace mansard::analysis
