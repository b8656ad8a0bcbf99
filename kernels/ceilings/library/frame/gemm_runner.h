// SPDX-License-Identifier: Apache-2.0
// One format's products on one device: the operands, the result and the workspace that all shapes
// share the beginning of, and cuBLASLt to multiply them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/ceilings/library/frame/gemm_check.h"
#include "kernels/device/device_buffer.h"
#include "kernels/recipes/cublaslt_matmul.h"

namespace mansard::kernels::library {

// How the operands lie in memory, named as BLAS does: TN reads both along the reduction axis.
struct GemmLayout {
  const char* name;
  ReductionAxis a, b;
};

// One way to compute one shape.
struct Contender {
  GemmShape shape;
  GemmLayout layout{};
  std::shared_ptr<const CublasLtMatmul> matmul;
  cublasLtMatmulAlgo_t algorithm{};
  int number = 0;     // in contenders(), which is the same from run to run
  double time_s = 0;  // of one launch; 0: not timed
  double rate() const { return time_s > 0 ? shape.flop() / time_s : 0; }
};

class GemmRunner {
 public:
  GemmRunner(const LibraryGemm& gemm, const GemmBytes& bytes);

  const LibraryGemm& gemm() const { return gemm_; }

  // What cuBLASLt offers for the shape, up to kAlgorithms for each layout.
  std::vector<Contender> contenders(const GemmShape& shape) const;

  cublasStatus_t run(const Contender& contender, cudaStream_t stream) const;

  // Waits until it is done.
  void fill(ElementFormat operand, DataPattern pattern, std::uint64_t seed);

  // Runs the contender on fresh random operands and compares; empty when right. What fill() wrote
  // is lost.
  std::string check(const Contender& contender);

 private:
  std::shared_ptr<const CublasLtMatmul> describe(const GemmShape& shape,
                                                 const GemmLayout& layout) const;
  std::pair<RandomOperand, RandomOperand> operands(const Contender& contender,
                                                   std::uint64_t seed) const;

  LibraryGemm gemm_;
  CublasLtHandle handle_;
  DeviceBuffer<unsigned char> a_, b_, c_, scales_a_, scales_b_, workspace_;
  DeviceBuffer<float> one_;  // the scale of a whole tensor
};

}  // namespace mansard::kernels::library
