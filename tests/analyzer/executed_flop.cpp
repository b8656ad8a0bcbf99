// SPDX-License-Identifier: Apache-2.0
// Executed against needed FLOPs, and the advice on their difference.
#include "analyzer/counters/executed_flop.h"

#include <gtest/gtest.h>

#include "analyzer/advice/advice.h"
#include "analyzer/kernel_columns.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::analysis {
namespace {

using namespace test;

constexpr std::int64_t kUs = 1000;

class ExecutedFlopTest : public testing::Test {
 protected:
  ExecutedFlopTest() { b.profile().gpus[0].compute_major = 9; }

  // A launch in a range with the text, one after the other.
  void launch(const std::string& kernel, std::int64_t duration_us, const std::string& range) {
    b.range(host_, host_ + 10, range);
    b.launch(host_ + 5, device_, device_ + duration_us * kUs, kernel);
    host_ += 20;
    device_ += duration_us * kUs;
  }

  // Two kernels launched in one range, one after the other.
  void launch_both(const std::string& range, const std::string& first, std::int64_t first_us,
                   const std::string& second, std::int64_t second_us) {
    b.range(host_, host_ + 10, range);
    b.launch(host_ + 4, device_, device_ + first_us * kUs, first);
    device_ += first_us * kUs;
    b.launch(host_ + 6, device_, device_ + second_us * kUs, second);
    device_ += second_us * kUs;
    host_ += 20;
  }

  // Counters of such a launch.
  void reading(const std::string& kernel, double flop, const std::string& range,
               double duration_us) {
    b.range(host_, host_ + 10, range);
    store::CounterReading r;
    r.demangled_name = b.intern(kernel);
    r.grid = {1, 1, 1};
    r.block = {128, 1, 1};
    r.start_ns = host_ + 5;
    r.correlation_id = ++correlation_;
    b.call(r.start_ns, "cudaLaunchKernel", r.correlation_id);
    r.values = {{b.intern("gpu__time_duration.sum"), 1000 * duration_us},
                {b.intern("sm__ops_path_tensor_src_bf16_dst_fp32.sum"), flop}};
    b.profile().counter_readings.push_back(r);
    host_ += 20;
  }

  RunAnalysis analyzed() { return analyze_run(b.build(), {test_machine()}); }

  static const KernelRow& row(const RunAnalysis& run, const std::string& name) {
    for (const KernelRow& row : run.rows) {
      if (row.name == name) return row;
    }
    throw std::out_of_range(name);
  }

  static std::vector<Advice> advise(const RunAnalysis& run) {
    return advise_on_excess_flop(run, RunUnit(run));
  }

  ProfileBuilder b;
  std::int64_t host_ = 0;
  std::int64_t device_ = 1'000'000;
  std::int64_t correlation_ = 1'000'000;
};

constexpr const char* kGemm =
    "cublasGemmEx | flop=1e9 hbm=1e5 precision=bf16 class=gemm shape=10x10x10 source=model";

TEST_F(ExecutedFlopTest, PaddingOfAGemm) {
  // 1e9 FLOP of the shape, 1.25e9 executed: at 1e12 FLOP/s the SOL time is 1.25 ms.
  reading("gemm_tiles", 1.25e9, kGemm, 1500);
  launch("gemm_tiles", 1500, kGemm);
  launch("gemm_tiles", 1500, kGemm);
  const RunAnalysis run = analyzed();
  const KernelRow& gemm = row(run, "gemm_tiles");
  EXPECT_DOUBLE_EQ(gemm.needed_flop, 2e9);
  EXPECT_DOUBLE_EQ(gemm.executed_flop, 2.5e9);
  EXPECT_DOUBLE_EQ(gemm.work.total_flop(), 2.5e9) << "counters have precedence over the model";
  KernelEntry entry;
  entry.row = &gemm;
  entry.totals.add(gemm);
  EXPECT_EQ(cells(choose(kernel_columns(), {"executed_ratio"}), entry).at(0), Cell(1.25));

  const std::vector<Advice> found = advise(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "excess_flop");
  EXPECT_NEAR(found[0].saving_s.value(), 3e-3 * 0.2, 1e-12);
  EXPECT_NEAR(found[0].row_savings.at(0).time_s, 3e-3 * 0.2, 1e-12);
}

// The FLOPs of a range belong to the kernels that executed them, not to its helpers.
TEST_F(ExecutedFlopTest, KernelsOfARangeShareWhatItNeeds) {
  const std::string range = "attention | flop=1e9 precision=bf16";
  reading("attention_main", 1e9, range, 900);
  launch_both(range, "attention_main", 900, "attention_helper", 30);
  const RunAnalysis run = analyzed();
  EXPECT_DOUBLE_EQ(row(run, "attention_main").needed_flop, 1e9);
  EXPECT_DOUBLE_EQ(row(run, "attention_main").executed_flop, 1e9);
  EXPECT_EQ(row(run, "attention_helper").executed_flop, 0);
  EXPECT_TRUE(advise(run).empty());
}

TEST_F(ExecutedFlopTest, UnknownIfKernelsOfTheRangeWereNotCounted) {
  const std::string range = "layer | flop=1e9 precision=bf16";
  reading("gemm_a", 2e9, range, 500);
  launch_both(range, "gemm_a", 500, "gemm_b", 500);
  const RunAnalysis run = analyzed();
  EXPECT_EQ(row(run, "gemm_a").executed_flop, 0);
  EXPECT_DOUBLE_EQ(row(run, "gemm_a").needed_flop, 0.5e9);
  EXPECT_TRUE(advise(run).empty());
}

// A GEMM with a split reduction: 1e9 FLOP counted in the GEMM, and none in the kernel that adds up.
class SplitReduction : public ExecutedFlopTest {
 protected:
  // `counted`: whether the second kernel was read, too.
  double total_flop(double executed, bool counted) {
    reading("gemm_main", executed, kGemm, 900);
    if (counted) reading("splitKreduce_kernel", 0, "", 100);
    launch_both(kCall, "gemm_main", 900, "splitKreduce_kernel", 300);
    double sum = 0;
    for (const KernelRow& row : analyzed().rows) sum += row.work.total_flop();
    return sum;
  }
  // Without a class, so that both kernels share the work.
  static constexpr const char* kCall = "matmul | flop=1e9 precision=bf16 source=model";
};

TEST_F(SplitReduction, CountedFlopIsNotModeledAsWell) {
  EXPECT_DOUBLE_EQ(total_flop(1.25e9, true), 1.25e9);
}

TEST_F(SplitReduction, NorIfTheOtherKernelWasNotRead) {
  EXPECT_DOUBLE_EQ(total_flop(1e9, false), 1e9);
}

TEST_F(SplitReduction, TheOtherKernelHasTheRest) {
  EXPECT_DOUBLE_EQ(total_flop(0.75e9, false), 1e9);
}

TEST_F(SplitReduction, KernelsWithoutTensorCoreFlopShareTheModel) {
  reading("sgemm_main", 0, "", 900);
  reading("sgemm_reduce", 0, "", 100);
  launch_both(kCall, "sgemm_main", 900, "sgemm_reduce", 300);
  const RunAnalysis run = analyzed();
  EXPECT_DOUBLE_EQ(row(run, "sgemm_main").work.total_flop(), 0.75e9);
  EXPECT_DOUBLE_EQ(row(run, "sgemm_reduce").work.total_flop(), 0.25e9);
}

// A mask tensor: half of the pairs are needed if it is causal. Without counters too.
TEST_F(ExecutedFlopTest, AttentionWithAMaskTensor) {
  const std::string range =
      "cudnnBackendExecute | flop=1e9 precision=bf16 class=attention shape=1x1x10x10x64,mask "
      "causal_flop=5e8 source=model";
  launch("fmha_kernel", 2000, range);
  launch("fmha_kernel", 2000, range);
  launch("fmha_causal", 2000,
         "cudnnBackendExecute | flop=5e8 precision=bf16 class=attention shape=1x1x10x10x64,causal "
         "source=model");
  const RunAnalysis run = analyzed();
  const std::vector<Advice> found = advise(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "masked_attention");
  EXPECT_NEAR(found[0].saving_s.value(), 2e-3, 1e-12);
  EXPECT_NEAR(found[0].concerned_s, 4e-3, 1e-12);
  ASSERT_EQ(found[0].rows.size(), 1u);
  EXPECT_EQ(run.rows[found[0].rows[0]].name, "fmha_kernel");
}

// FLOPs of the causal mask are divided among kernels as the needed ones are.
TEST_F(ExecutedFlopTest, CountedAttentionWithAMaskTensorAndAHelper) {
  const std::string range =
      "cudnnBackendExecute | flop=1e9 precision=bf16 class=attention causal_flop=5e8 source=model";
  reading("fmha_kernel", 1e9, range, 1980);
  launch_both(range, "fmha_kernel", 1980, "fmha_helper", 20);
  EXPECT_NEAR(advise(analyzed()).at(0).saving_s.value(), 0.99e-3, 20e-6);
}

// cuDNN's kernels also take longer for each pair when they read a mask.
TEST_F(ExecutedFlopTest, AttentionOfCudnnWithAMaskTensor) {
  launch("cudnn_generated_fort_native_sdpa_sm90_flash_fprop", 1280,
         "cudnnBackendExecute | flop=1e9 precision=bf16 class=attention causal_flop=5e8 "
         "source=model");
  EXPECT_NEAR(advise(analyzed()).at(0).saving_s.value(), 1.28e-3 - 0.5e-3, 1e-9);
}

}  // namespace
}  // namespace mansard::analysis
