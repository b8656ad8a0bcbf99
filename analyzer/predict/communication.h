// SPDX-License-Identifier: Apache-2.0
// Bytes that GPUs send to each other, and the time that this takes, within an NVLink domain and
// across domains. The order of ranks is Megatron's: tensor, context, data, then pipeline parallel.
// Within a domain, a measured collective of the same number of GPUs replaces the datasheet's
// bandwidth.
#pragma once

#include <map>
#include <set>
#include <string>

#include "analyzer/predict/assumptions.h"
#include "analyzer/predict/training_job.h"

namespace mansard::analysis {

// Bytes that one GPU sends in one direction, by tier: bus bytes (kernels/vocabulary/collective.h),
// and the time that they take, hidden or not. Tiers transfer at the same time.
struct LinkTraffic {
  std::map<MemoryLevel, double> bytes;
  std::map<MemoryLevel, double> time_s;

  double longest_s() const;
  LinkTraffic& add(const LinkTraffic& other, double times = 1);
};

class Communication {
 public:
  Communication(const TrainingJob& job, const TargetMachine& machine,
                const Assumptions& assumptions)
      : job_(job), machine_(machine), assumptions_(assumptions) {}

  // All-gather or reduce-scatter of `bytes` (the whole tensor) over a tensor-parallel group.
  LinkTraffic tensor(CollectiveOperation operation, double bytes) const;
  // `bytes` passed around a context-parallel ring.
  LinkTraffic context(double bytes) const;
  // `bytes` from one pipeline stage to the next.
  LinkTraffic pipeline(double bytes) const;
  // All-gather, reduce-scatter or all-reduce of `bytes` over the ranks with the same parameters, in
  // `calls` calls. Ranks in one NVLink domain share their network adapters.
  LinkTraffic data(CollectiveOperation operation, double bytes, double calls) const;

  // The ceilings of the tiers: published, in one direction; for NVLink, the highest bus bandwidth
  // of the measured collectives that replace it.
  std::vector<roofline::Ceiling> roofs() const;
  // Names of the measured collectives that this job uses, such as "nccl_all_gather_8".
  std::set<std::string> measured() const;

 private:
  double nvlink() const { return machine_.nvlink_bytes_per_s * assumptions_.nvlink_reach; }
  double network() const { return machine_.nic_bytes_per_s * assumptions_.network_reach; }
  bool within_domain(std::int64_t ranks) const { return ranks <= machine_.nvlink_domain; }
  // `bytes` between neighbors of a group that spans `ranks` consecutive ranks.
  LinkTraffic sent(double bytes, std::int64_t ranks) const;
  // Over NVLink: `bus_bytes` of `calls` collectives between `ranks` GPUs.
  double nvlink_s(CollectiveOperation operation, std::int64_t ranks, double bus_bytes,
                  double calls) const;
  // Ranks of one NVLink domain with the same parameters.
  std::int64_t local_data_ranks() const;
  std::vector<const roofline::CollectiveFit*> fits() const;

  const TrainingJob& job_;
  const TargetMachine& machine_;
  const Assumptions& assumptions_;
};

}  // namespace mansard::analysis
