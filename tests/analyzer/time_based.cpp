// SPDX-License-Identifier: Apache-2.0
// Waves of blocks, and the planes of the time-based roofline.
#include <gtest/gtest.h>

#include "analyzer/wave_quantization.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

store::GpuRecord h200() {
  store::GpuRecord gpu;
  gpu.sm_count = 132;
  gpu.compute_major = 9;
  return gpu;
}

store::KernelRecord launch(int blocks, int threads, int registers, int shared_bytes = 0) {
  store::KernelRecord kernel;
  kernel.grid = {blocks, 1, 1};
  kernel.block = {threads, 1, 1};
  kernel.registers_per_thread = registers;
  kernel.dynamic_shared_bytes = shared_bytes;
  return kernel;
}

// 2048 threads per SM: two blocks of 1024, 264 on the GPU. 400 blocks are 1.515 waves; the last is
// filled to 0.515: tail 1 - 1.515 / 2.
TEST(Waves, AreLimitedByThreads) {
  const std::optional<analysis::Waves> waves = analysis::waves_of(launch(400, 1024, 32), h200());
  ASSERT_TRUE(waves);
  EXPECT_EQ(waves->blocks_per_sm, 2);
  EXPECT_DOUBLE_EQ(waves->waves, 400.0 / 264);
  EXPECT_DOUBLE_EQ(waves->tail_share, 1 - 400.0 / 264 / 2);
}

// 168 registers, 384 threads: a sub-partition has room for 3 warps of 5376 registers, four for 12,
// so one block. 104 registers: 4 warps of 3328 each, 16 in total: 8 blocks of two warps, although
// 65536 registers would suffice for 9.
TEST(Waves, AreLimitedByRegisters) {
  EXPECT_EQ(analysis::waves_of(launch(132, 384, 168), h200())->blocks_per_sm, 1);
  EXPECT_EQ(analysis::waves_of(launch(132, 64, 104), h200())->blocks_per_sm, 8);
  EXPECT_EQ(analysis::waves_of(launch(132, 384, 80), h200())->blocks_per_sm,
            2);  // 12 x 2560 = 30720
}

// 228 KiB per SM: three blocks of 75 KiB + 1 KiB (system) fit, three of 76 KiB + 1 KiB do not.
TEST(Waves, AreLimitedBySharedMemory) {
  EXPECT_EQ(analysis::waves_of(launch(132, 128, 32, 75 << 10), h200())->blocks_per_sm, 3);
  EXPECT_EQ(analysis::waves_of(launch(132, 128, 32, 76 << 10), h200())->blocks_per_sm, 2);
}

TEST(Waves, ThatFillTheGpuOrLessHaveNoTail) {
  EXPECT_EQ(analysis::waves_of(launch(132, 1024, 64), h200())->tail_share, 0);
  EXPECT_EQ(analysis::waves_of(launch(7, 1024, 64), h200())->tail_share, 0);
  EXPECT_EQ(analysis::waves_of(launch(2 * 264, 1024, 32), h200())->tail_share, 0);
}

TEST(Waves, AreUnknownForUnknownInputs) {
  EXPECT_FALSE(analysis::waves_of(launch(132, 1024, 64), store::GpuRecord{}));
  EXPECT_FALSE(analysis::waves_of(launch(0, 1024, 64), h200()));
  EXPECT_FALSE(analysis::waves_of(launch(132, 128, 32, 300 << 10), h200()));  // fits nowhere
}

class TimeBased : public testing::Test {
 protected:
  std::vector<analysis::Table> tables(const std::string& name) {
    const analysis::RunAnalysis run = analysis::analyze_run(builder_.build(), {test_machine()});
    const analysis::Finding finding = analysis::analysis_registry().find("time_based")->run(run);
    for (const auto& row : finding.tables.at(1).rows) {
      if (std::get<std::string>(row[0]) != name) continue;
      for (std::size_t i = 0; i < row.size(); ++i) {
        row_[finding.tables[1].columns[i].key] = row[i];
      }
    }
    return finding.tables;
  }
  double number(const std::string& key) { return std::get<double>(row_.at(key)); }
  std::string text(const std::string& key) { return std::get<std::string>(row_.at(key)); }

  ProfileBuilder builder_;
  std::map<std::string, analysis::Cell> row_;
};

// 4e6 FLOP at 1e12 take 4 us, 2e4 B at 1e10 take 2 us. Measured 6 us: (6, 6 * 2 / 4).
TEST_F(TimeBased, PlacesAComputeBoundKernel) {
  builder_.range(0, 100, "g | flop=4e6 hbm=2e4 precision=bf16 class=gemm");
  builder_.launch(10, 1000, 7000, "gemm_kernel");
  tables("gemm_kernel");
  EXPECT_EQ(text("region"), "compute");
  EXPECT_NEAR(number("compute_s"), 4e-6, 1e-15);
  EXPECT_NEAR(number("bandwidth_s"), 2e-6, 1e-15);
  EXPECT_NEAR(number("time_plane_x_s"), 6e-6, 1e-15);
  EXPECT_NEAR(number("time_plane_y_s"), 3e-6, 1e-15);
}

// The slowest tier counts: 8e4 B of HBM take 8 us, 8e4 B of L2 only 2 us.
TEST_F(TimeBased, PlacesABandwidthBoundKernel) {
  builder_.range(0, 100, "g | flop=4e6 hbm=8e4 l2=8e4 precision=bf16");
  builder_.launch(10, 1000, 11000, "my_kernel");
  tables("my_kernel");
  EXPECT_EQ(text("region"), "bandwidth");
  EXPECT_EQ(text("tier"), "HBM");
  EXPECT_NEAR(number("time_plane_x_s"), 5e-6, 1e-15);
  EXPECT_NEAR(number("time_plane_y_s"), 10e-6, 1e-15);
}

// All times are below the launch time of 1 us.
TEST_F(TimeBased, SmallKernelsAreOverheadBound) {
  builder_.range(0, 100, "g | flop=1e5 hbm=1e3 precision=bf16");
  builder_.launch(10, 1000, 1700, "my_kernel");
  const std::vector<analysis::Table> all = tables("my_kernel");
  EXPECT_EQ(text("region"), "overhead");
  EXPECT_NEAR(std::get<double>(all[0].rows[0][6]), 700e-9, 1e-15);
}

TEST_F(TimeBased, UnknownWorkHasNoRegion) {
  builder_.launch(10, 1000, 1700, "my_kernel");
  tables("my_kernel");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(row_.at("region")));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(row_.at("time_plane_x_s")));
}

}  // namespace
}  // namespace mansard::test
