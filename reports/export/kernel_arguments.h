// SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel in a trace: the launch configuration with PyTorch's names, and results
// of the analysis.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "analyzer/launch_work.h"
#include "reports/export/trace.h"

namespace mansard::reports {

class KernelArguments {
 public:
  explicit KernelArguments(const ExportInput& input);

  // The arguments of Profile::kernels[kernel]. The texts are valid until the next call.
  void add(std::size_t kernel, std::vector<Argument>& arguments);

 private:
  void add_work(std::size_t kernel, std::vector<Argument>& arguments);
  void add_collective(const store::KernelRecord& kernel, std::vector<Argument>& arguments) const;

  const store::Profile& profile_;
  analysis::LaunchWork works_;
  analysis::SpeedOfLight sol_;
  // Collectives of a device, by correlation id.
  std::map<std::pair<std::int32_t, std::int64_t>, const store::CollectiveRecord*> collectives_;
};

}  // namespace mansard::reports
