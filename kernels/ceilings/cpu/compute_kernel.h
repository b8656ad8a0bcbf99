// SPDX-License-Identifier: Apache-2.0
// Base of the host's compute ceilings: every core advances chains of dependent operations in
// registers, in rounds whose number the result reveals.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/ceilings/cpu/host_kernel.h"

namespace mansard::kernels {

class ComputeKernel : public HostKernel {
 public:
  Work work() const override {
    Work work;
    work.flop = operations_a_round_ * threads() * static_cast<double>(rounds_);
    return work;
  }

  void launch(void*) override { run(rounds_); }

  // Verifies twice: after a few rounds, and after a whole launch.
  std::string verify() override {
    const std::uint64_t fresh = seed_ + 1;
    std::string found;
    for (const std::int64_t rounds : {std::int64_t{3}, rounds_}) {
      if (!found.empty()) break;
      fill(fresh);
      run(rounds);
      found = difference(fresh, rounds);
    }
    fill(seed_);
    return found;
  }

 protected:
  // `operations_a_round`: of one thread. The derived constructor must call fill().
  ComputeKernel(InstructionSet set, std::uint64_t seed, double operations_a_round,
                std::int64_t rounds)
      : HostKernel(set, read_host_topology().cpus),
        seed_(seed),
        operations_a_round_(operations_a_round),
        rounds_(rounds) {}

  // Sets the operands of every thread and resets its chains.
  virtual void fill(std::uint64_t seed) = 0;
  virtual void advance(int thread, std::int64_t rounds) = 0;
  // A round like those of advance(), whose result is discarded.
  virtual void exercise(int thread) const = 0;
  // Difference between the expected result of `rounds` rounds after fill(seed) and the actual one;
  // empty if there is none.
  virtual std::string difference(std::uint64_t seed, std::int64_t rounds) const = 0;

  std::uint64_t seed() const { return seed_; }
  std::int64_t rounds() const { return rounds_; }

 private:
  void run(std::int64_t rounds) {
    run_timed([&](int thread) { advance(thread, rounds); },
              [this](int thread) { exercise(thread); });
  }

  std::uint64_t seed_;
  double operations_a_round_;
  std::int64_t rounds_;
};

template <class Prepare>
KernelSpec compute_spec(std::string name, std::string summary, Precision precision,
                        Prepare prepare) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.target = Target::host;
  spec.role = KernelRole::compute_ceiling;
  spec.precision = precision;
  spec.unsupported = unsupported_on_host;
  spec.prepare = std::move(prepare);
  return spec;
}

}  // namespace mansard::kernels
