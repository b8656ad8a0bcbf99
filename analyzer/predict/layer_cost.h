// SPDX-License-Identifier: Apache-2.0
// Time of one micro-batch in one layer of a model on one GPU.
#pragma once

#include <map>

#include "analyzer/predict/communication.h"
#include "analyzer/predict/kernel_times.h"

namespace mansard::analysis {

struct DirectionCost {
  double gemm_s = 0;
  double gemm_error2_s2 = 0;  // sum of squared errors, which are independent between shapes
  double attention_s = 0;
  double elementwise_s = 0;
  double conversion_s = 0;
  double tensor_s = 0;   // exposed communication
  double context_s = 0;  // exposed communication
  double attention_flop = 0;
  std::map<Precision, double> flop;  // all, with those of attention
  LinkTraffic traffic;               // hidden or not

  double total_s() const {
    return gemm_s + attention_s + elementwise_s + conversion_s + tensor_s + context_s;
  }
};

struct LayerCost {
  DirectionCost forward;
  DirectionCost backward;
  double total_s() const { return forward.total_s() + backward.total_s(); }
};

class LayerCosts {
 public:
  LayerCosts(const TrainingJob& job, const TargetMachine& machine, const Assumptions& assumptions)
      : job_(job),
        assumptions_(assumptions),
        kernels_(machine, assumptions),
        links_(job, machine, assumptions) {}

  LayerCost layer(const kernels::TransformerBlocks& block, kernels::Recipe recipe) const;
  // The last norm, the language-model head in BF16, the loss and the embedding.
  LayerCost head() const;
  const KernelTimes& kernels() const { return kernels_; }
  const Communication& links() const { return links_; }

 private:
  struct Linear {
    double in = 0;   // features on this GPU
    double out = 0;  // features on this GPU
  };
  void add_linear(const Linear& linear, kernels::Recipe recipe, LayerCost& cost) const;
  void add_gemm(kernels::Recipe recipe, const GemmShape& shape, double time_s,
                DirectionCost& cost) const;
  void add_attention(kernels::Recipe recipe, LayerCost& cost) const;
  void add_ffn(double ffn, kernels::Recipe recipe, LayerCost& cost) const;
  // Adds norm, residual and sequence-parallel collectives of one part (attention or FFN) of a
  // block.
  void add_frame(kernels::Recipe recipe, LayerCost& cost) const;
  double tokens() const { return static_cast<double>(job_.tokens_per_micro_batch()); }

  const TrainingJob& job_;
  const Assumptions& assumptions_;
  KernelTimes kernels_;
  Communication links_;
};

}  // namespace mansard::analysis
