// SPDX-License-Identifier: Apache-2.0
// Time to move bytes between GPUs, within an NVLink domain and across domains. The order of ranks
// is Megatron's: tensor, context, data, then pipeline parallel.
#pragma once

#include "analyzer/predict/assumptions.h"
#include "analyzer/predict/training_job.h"

namespace mansard::analysis {

class Communication {
 public:
  Communication(const TrainingJob& job, const TargetMachine& machine,
                const Assumptions& assumptions)
      : job_(job), machine_(machine), assumptions_(assumptions) {}

  // All-gather or reduce-scatter of `bytes` (the whole tensor) over a tensor-parallel group.
  double tensor_s(double bytes) const;
  // `bytes` passed around a context-parallel ring.
  double context_s(double bytes) const;
  // `bytes` from one pipeline stage to the next.
  double pipeline_s(double bytes) const;
  // All-gather or reduce-scatter of `bytes` over the ranks with the same parameters. Ranks in one
  // NVLink domain share their network adapters.
  double data_s(double bytes) const;

 private:
  double nvlink() const { return machine_.nvlink_bytes_per_s * assumptions_.nvlink_reach; }
  double network() const { return machine_.nic_bytes_per_s * assumptions_.network_reach; }
  double within(std::int64_t ranks) const {
    return ranks <= machine_.nvlink_domain ? nvlink() : network();
  }

  const TrainingJob& job_;
  const TargetMachine& machine_;
  const Assumptions& assumptions_;
};

}  // namespace mansard::analysis
