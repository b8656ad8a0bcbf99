// SPDX-License-Identifier: Apache-2.0
// The GEMMs of one format on one device: cuBLASLt, and the operands, the result and the workspace,
// of which each shape uses the beginning.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/ceilings/library/frame/gemm_check.h"
#include "kernels/device/device_buffer.h"
#include "kernels/recipes/cublaslt_matmul.h"

namespace mansard::kernels::library {

// Layouts of the operands, named as in BLAS: TN reads both along the reduction axis.
struct GemmLayout {
  const char* name;
  ReductionAxis a, b;
};

// A candidate: one algorithm for one shape.
struct Contender {
  GemmShape shape;
  GemmLayout layout{};
  std::shared_ptr<const CublasLtMatmul> matmul;
  cublasLtMatmulAlgo_t algorithm{};
  int number = 0;     // index in contenders(), which is the same in every run
  double time_s = 0;  // of one launch; 0: not timed
  double rate() const { return time_s > 0 ? shape.flop() / time_s : 0; }
};

class GemmRunner {
 public:
  GemmRunner(const LibraryGemm& gemm, const GemmBytes& bytes);

  const LibraryGemm& gemm() const { return gemm_; }

  // The algorithms that cuBLASLt offers for the shape, up to kAlgorithms per layout.
  std::vector<Contender> contenders(const GemmShape& shape) const;

  cublasStatus_t run(const Contender& contender, cudaStream_t stream) const;

  // Waits for completion.
  void fill(ElementFormat operand, DataPattern pattern, std::uint64_t seed);

  // Runs the contender on new random operands and compares; empty if correct. Overwrites the data
  // of fill().
  std::string check(const Contender& contender);

 private:
  std::shared_ptr<const CublasLtMatmul> describe(const GemmShape& shape,
                                                 const GemmLayout& layout) const;
  std::pair<RandomOperand, RandomOperand> operands(const Contender& contender,
                                                   std::uint64_t seed) const;

  LibraryGemm gemm_;
  CublasLtHandle handle_;
  DeviceBuffer<unsigned char> a_, b_, c_, scales_a_, scales_b_, workspace_;
  DeviceBuffer<float> one_;  // the scale of a tensor
};

}  // namespace mansard::kernels::library
