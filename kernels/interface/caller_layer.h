// SPDX-License-Identifier: Apache-2.0
// A linear layer whose tensors and scratch memory belong to the caller. Its results are equal, bit
// for bit, to those of LinearLayer.
#pragma once

#include <array>
#include <list>
#include <memory>
#include <stdexcept>

#include "kernels/interface/stream_backends.h"
#include "kernels/recipes/linear_layer.h"

namespace mansard::kernels {

// A pass does not match the passes before it.
class OutOfOrder : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class CallerLayer {
 public:
  // Throws like reserve_layer().
  CallerLayer(const LinearProblem& problem, Recipe recipe,
              std::shared_ptr<StreamBackends> backends);
  ~CallerLayer();

  // Sizes of the caller's memory, as in mansard_layer_sizes.
  std::int64_t activation_bytes() const { return arena_.bytes(Lifetime::activation); }
  std::int64_t weight_bytes() const { return arena_.bytes(Lifetime::weight); }
  std::int64_t forward_scratch_bytes() const { return arena_.bytes(Lifetime::pass); }
  std::int64_t backward_scratch_bytes() const {
    return forward_scratch_bytes() + arena_.bytes(Lifetime::gradient);
  }
  bool backward_reads_x_and_w() const { return recipe_name_ == Recipe::bf16; }
  bool is_cpu() const { return backends_->is_cpu(); }

  struct Memory {
    void* activation = nullptr;
    void* weight = nullptr;
    void* scratch = nullptr;
  };

  // See mansard_layers.h. Throw OutOfOrder, or std::runtime_error if an operation fails.
  std::uint64_t fprop(void* stream, const Memory& memory, const void* x, const void* w, void* y,
                      MicroBatch which);
  void dgrad(void* stream, const Memory& memory, std::uint64_t pass, const void* dy, const void* w,
             void* dx);
  void wgrad(void* stream, const Memory& memory, std::uint64_t pass, const void* dy, const void* x,
             float* dw, MicroBatch which);

 private:
  // A pass, and the addresses that its plan contains.
  struct Binding {
    Pass pass = Pass::fprop;
    MicroBatch which = MicroBatch::first;
    const Backend* backend = nullptr;
    // Null: not used by the pass.
    const void* x = nullptr;
    const void* w = nullptr;
    const void* dy = nullptr;
    void* result = nullptr;
    Memory memory;
    bool operator==(const Binding& other) const;
  };
  struct BoundPlan {
    Binding binding;
    PassPlan plan;
  };
  struct Started {
    std::uint64_t pass = 0;
    void* scratch = nullptr;
  };

  const PassPlan& plan(const Binding& binding, Backend& backend);
  PassPlan make_plan(const Binding& binding, Backend& backend);
  void run(const Binding& binding, Backend& backend);
  MicroBatch micro_batch_of(std::uint64_t pass) const;

  // First member: the backends must outlive all memory of the layer.
  std::shared_ptr<StreamBackends> backends_;
  Recipe recipe_name_;
  Arena arena_;
  LayerTensors tensors_;
  Buffer workspace_;
  std::unique_ptr<LayerRecipe> recipe_;
  std::shared_ptr<void> state_;
  // Whether the recipe's state holds scales that the backward passes read.
  bool scales_in_state_ = false;

  // Passes are numbered from 1, multiplied by 2, plus 1 for later micro-batches.
  std::uint64_t last_pass_ = 0;
  std::uint64_t last_first_pass_ = 0;
  Started gradient_;  // the dgrad whose dy is in the scratch memory

  std::list<BoundPlan> plans_;  // most recently used first
};

}  // namespace mansard::kernels
