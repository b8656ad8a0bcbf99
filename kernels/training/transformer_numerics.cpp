// SPDX-License-Identifier: Apache-2.0
// The numerics record of a transformer: what its linear layers measured.
#include <algorithm>

#include "kernels/training/transformer.h"

namespace mansard::kernels {
namespace {

std::optional<std::array<double, 3>> shares_of(const mor::Counts& before, const mor::Counts& now) {
  static_assert(mor::kRepresentations == 3);
  std::array<double, 3> shares = {};
  double sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = static_cast<double>(now.blocks[i] - before.blocks[i]);
    sum += shares[i];
  }
  if (sum == 0) return std::nullopt;
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace

// Comparisons run between passes and share the memory of expanded operands with them.
void Transformer::reserve_measurement(Arena& arena) {
  std::int64_t elements = 0;
  for (const Part& part : parts_) {
    for (const ReservedPhases* reserved : {&part.reserved_in, &part.reserved_out}) {
      const LinearProblem& p = reserved->front().problem;
      elements = std::max({elements, p.tokens * p.in_features, p.tokens * p.out_features,
                           p.in_features * p.out_features});
    }
  }
  measurement_scratch_.source = arena.share(Scratch::operand_a, 2 * elements);
  measurement_scratch_.values = arena.share(Scratch::operand_b, 2 * elements);
  measurement_scratch_.partials =
      arena.reserve(numerics::kPartialSums * std::int64_t{sizeof(numerics::Sums)}, Lifetime::pass);
  for (Part& part : parts_) {
    part.sums_in = arena.reserve(LinearLayer::kSumsBytes);
    part.sums_out = arena.reserve(LinearLayer::kSumsBytes);
  }
}

std::vector<mor::Counts> Transformer::read_counts() const {
  std::vector<mor::Counts> all;
  for (const RepresentationCounts& counts : choices()) {
    all.emplace_back();
    backend_->read(&all.back(), counts.counts.as<mor::Counts>(), sizeof(mor::Counts));
  }
  return all;
}

void Transformer::set_measuring(bool measuring) {
  measuring_ = measuring;
  if (measuring_) counts_before_ = read_counts();
}

std::vector<TensorNumerics> Transformer::numerics() const {
  const std::vector<mor::Counts> counts = read_counts();
  std::size_t first = 0;  // of the layer's counts, which are in the order of choices()
  std::vector<TensorNumerics> all;
  const auto add = [&](const std::string& name, const LinearLayer& layer) {
    const std::vector<RepresentationCounts> choices = layer.choices();
    for (TensorNumerics& n : layer.numerics()) {
      n.layer = name;
      for (std::size_t i = 0; i < choices.size(); ++i) {
        if (choices[i].tensor != n.tensor) continue;
        n.shares = shares_of(counts_before_[first + i], counts[first + i]);
      }
      all.push_back(std::move(n));
    }
    first += choices.size();
  };
  for (const Part& part : parts_) {
    add(part.range + ".in", part.linear_in[phase_]);
    add(part.range + ".out", part.linear_out[phase_]);
  }
  return all;
}

}  // namespace mansard::kernels
