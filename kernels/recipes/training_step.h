// SPDX-License-Identifier: Apache-2.0
// A training step of several linear layers: fprop through all of them, then dgrad and wgrad in
// reverse order, timed pass by pass where the backend computes.
#pragma once

#include <string>
#include <vector>

#include "kernels/recipes/linear_layer.h"

namespace mansard {

struct PassTime {
  std::size_t layer = 0;
  Pass pass = Pass::fprop;
  double time_s = 0;
};

struct StepTime {
  double time_s = 0;             // from the first operation to the end of the last
  std::vector<PassTime> passes;  // in the order they ran, the same in every step
};

class TrainingStep {
 public:
  TrainingStep(const std::vector<LinearProblem>& problems, Recipe recipe, Backend& backend);

  // Within a range named `label` ("step 3"). Waits for the end.
  StepTime run(const std::string& label);

  // LinearLayer::verify() of every layer and pass: one line for each that fails.
  std::vector<std::string> verify(int samples, std::uint64_t seed) const;

  const std::vector<LinearLayer>& layers() const { return layers_; }

 private:
  Backend* backend_;
  std::vector<LinearLayer> layers_;
  std::vector<PassTime> order_;
};

}  // namespace mansard
