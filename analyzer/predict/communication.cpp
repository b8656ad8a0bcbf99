// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/communication.h"

#include <algorithm>

namespace mansard::analysis {
namespace {

double share_from_others(std::int64_t ranks) {
  return static_cast<double>(ranks - 1) / static_cast<double>(ranks);
}

}  // namespace

double Communication::tensor_s(double bytes) const {
  return bytes * share_from_others(job_.tensor) / within(job_.tensor);
}

double Communication::context_s(double bytes) const {
  return bytes * static_cast<double>(job_.context - 1) / within(job_.tensor * job_.context);
}

double Communication::pipeline_s(double bytes) const {
  if (job_.pipeline == 1) return 0;
  // Neighboring stages are tensor x context x data ranks apart.
  return bytes / within(2 * job_.tensor * job_.context * job_.data());
}

double Communication::data_s(double bytes) const {
  const std::int64_t ranks = job_.data() * job_.context;
  if (ranks == 1) return 0;
  const std::int64_t local =
      std::clamp<std::int64_t>(machine_.nvlink_domain / job_.tensor, 1, ranks);
  const double nvlink_s = local > 1 ? bytes * share_from_others(ranks) / nvlink() : 0;
  const double network_s =
      bytes * static_cast<double>(ranks - local) / static_cast<double>(ranks * local) / network();
  return std::max(nvlink_s, network_s);
}

}  // namespace mansard::analysis
