// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/sampling/gpu_metric_set.h"

#include <algorithm>
#include <stdexcept>

namespace mansard::collector {

// Counters named "realtime" report current activity; for some units, the other counters report it
// only when the work ends. Chips with GDDR memory count its utilization instead of bytes.
std::vector<std::vector<std::string>> gpu_metric_rows() {
  const std::string share = ".avg.pct_of_peak_sustained_elapsed";
  return {
      {"sm__pipe_tensor_cycles_active_realtime" + share, "sm__pipe_tensor_cycles_active" + share},
      {"dram__bytes_read.sum", "dram__read_throughput" + share},
      {"dram__bytes_write.sum", "dram__write_throughput" + share},
      {"sm__cycles_active" + share},
      {"sm__cycles_elapsed.avg.per_second"},
      {"sm__inst_executed_realtime" + share, "sm__inst_executed" + share},
      {"lts__t_sectors.sum"},
      {"nvlrx__bytes.sum"},
      {"nvltx__bytes.sum"},
      {"pcie__read_bytes.sum"},
      {"pcie__write_bytes.sum"},
      {"gr__cycles_active" + share},
  };
}

MetricPlan plan_gpu_metrics(const ProfilerHost& host) {
  std::vector<std::string> chosen;
  std::vector<std::string> missing;
  for (const std::vector<std::string>& row : gpu_metric_rows()) {
    const auto name = std::find_if(row.begin(), row.end(), [&](const std::string& metric) {
      const ByteImage config = host.config_image(std::span(&metric, 1));
      return !config.empty() && host.passes(config) == 1;
    });
    if (name != row.end()) {
      chosen.push_back(*name);
    } else {
      missing.push_back(row.front());
    }
  }
  if (chosen.empty()) throw std::runtime_error("chip " + host.chip() + " cannot be sampled");
  MetricPlan plan = plan_one_pass(host, chosen);
  plan.unavailable.insert(plan.unavailable.end(), missing.begin(), missing.end());
  return plan;
}

}  // namespace mansard::collector
