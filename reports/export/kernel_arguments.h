// SPDX-License-Identifier: Apache-2.0
// What a trace says of a kernel besides its name and times: the launch in PyTorch's words for it,
// and what the analysis knows.
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

  // Of Profile::kernels[kernel]. The texts live until the next call.
  void add(std::size_t kernel, std::vector<Argument>& arguments);

 private:
  void add_work(std::size_t kernel, std::vector<Argument>& arguments);
  void add_collective(const store::KernelRecord& kernel, std::vector<Argument>& arguments) const;

  const store::Profile& profile_;
  analysis::LaunchWork works_;
  analysis::SpeedOfLight limit_;
  // Of a device, by correlation id.
  std::map<std::pair<std::int32_t, std::int64_t>, const store::CollectiveRecord*> collectives_;
};

}  // namespace mansard::reports
