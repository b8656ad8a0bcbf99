// SPDX-License-Identifier: Apache-2.0
// FLOPs and bytes of rows from counters of a few of their launches. Expected values are derived by
// hand.
#include "analyzer/counters/counted_work.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "analyzer/launch_work.h"
#include "tests/analyzer/counter_names.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::analysis {
namespace {

using namespace test;

constexpr const char* kFfma = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
constexpr const char* kFadd = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum";

class Counted : public testing::Test {
 protected:
  Counted() {
    store::GpuRecord& gpu = b.profile().gpus[0];
    gpu.compute_major = 9;
  }

  // Reading of a launch that took `duration_ns`.
  store::CounterReading& reading(const std::string& kernel, double duration_ns,
                                 const std::vector<std::pair<const char*, double>>& values) {
    store::CounterReading r;
    r.demangled_name = b.intern(kernel);
    r.grid = {1, 1, 1};
    r.block = {128, 1, 1};
    r.values.emplace_back(b.intern("gpu__time_duration.sum"), duration_ns);
    for (const auto& [metric, value] : values) r.values.emplace_back(b.intern(metric), value);
    b.profile().counter_readings.push_back(r);
    return b.profile().counter_readings.back();
  }

  RunAnalysis analyzed() { return analyze_run(b.build(), {test_machine()}); }

  ProfileBuilder b;
};

TEST_F(Counted, SomeLaunchesApplyToAll) {
  for (int i = 0; i < 3; ++i) b.kernel(100 * i, 100 * i + 50, "k");
  // Two metric groups, each read in other launches.
  reading("k", 40, {{kHbmCounter, 1000}, {kBf16Counter, 8000}, {kL2Counter, 100}});
  reading("k", 44, {{kHbmCounter, 1004}, {kBf16Counter, 8000}, {kL2Counter, 100}});
  reading("k", 41, {{kFfma, 16}, {kFadd, 3}});
  const RunAnalysis run = analyzed();
  ASSERT_EQ(run.rows.size(), 1u);
  const KernelRow& row = run.rows[0];
  EXPECT_EQ(row.origin, WorkOrigin::counted);
  EXPECT_EQ(row.precision, Precision::bf16) << "the name tells none: that of most operations";
  // Three launches; an FMA is two operations, a sector 32 bytes.
  EXPECT_DOUBLE_EQ(row.work.flop.at(Precision::bf16), 3 * 8000);
  EXPECT_DOUBLE_EQ(row.work.flop.at(Precision::fp32), 3 * (2 * 16 + 3));
  EXPECT_DOUBLE_EQ(row.work.bytes.at(MemoryLevel::hbm), 3 * 1000) << "the lower of two";
  EXPECT_DOUBLE_EQ(row.work.bytes.at(MemoryLevel::l2), 3 * 3200);
  EXPECT_FALSE(row.work.bytes.contains(MemoryLevel::shared)) << "not read";
  // 3000 B at 1e10 B/s are 300 ns; 24000 FLOP at 1e12 are 24 ns, 105 at 1e11 1 ns.
  EXPECT_DOUBLE_EQ(row.sol.bandwidth_s.at(MemoryLevel::hbm), 300e-9);
  EXPECT_DOUBLE_EQ(row.sol.compute_s, 24e-9);
  EXPECT_TRUE(has_note(run, "All of")) << "the share of the time in counted kernels";
}

TEST_F(Counted, AFewOperationsDoNotSetThePrecisionOfACopy) {
  // At least 1 FLOP per 64 bytes counts as arithmetic.
  b.kernel(0, 50, "copies");
  b.kernel(100, 150, "adds");
  reading("copies", 50, {{kHbmCounter, 6400}, {kFadd, 99}});
  reading("adds", 50, {{kHbmCounter, 6400}, {kFadd, 100}});
  const RunAnalysis run = analyzed();
  ASSERT_EQ(run.rows.size(), 2u);
  for (const KernelRow& row : run.rows) {
    EXPECT_EQ(row.precision.has_value(), row.name == "adds") << row.name;
    EXPECT_GE(row.work.flop.at(Precision::fp32), 99) << "what was counted is not lost";
  }
}

TEST_F(Counted, SharesInNotesAreNeverRoundedToNoneOrAll) {
  b.kernel(0, 1, "rare");
  b.kernel(100, 1'000'100, "common");
  reading("common", 1'000'000, {{kHbmCounter, 1000}});
  const RunAnalysis run = analyzed();
  EXPECT_TRUE(has_note(run, "Nearly all"));
  EXPECT_TRUE(has_note(run, "Less than 0.1 %"));
}

TEST_F(Counted, OtherLaunchShapesAreSeparate) {
  b.kernel(0, 50, "k");
  b.kernel(100, 150, "k").grid = {2, 1, 1};
  b.kernel(200, 250, "k").dynamic_shared_bytes = 16;
  b.kernel(300, 350, "j");
  reading("k", 40, {{kHbmCounter, 1000}}).grid = {2, 1, 1};
  const RunAnalysis run = analyzed();
  ASSERT_EQ(run.rows.size(), 4u);
  int counted = 0;
  double unknown = 0;
  for (const KernelRow& row : run.rows) {
    if (row.origin == WorkOrigin::none) unknown += row.share;
    if (row.origin != WorkOrigin::counted) continue;
    ++counted;
    EXPECT_EQ(row.grid[0], 2);
  }
  EXPECT_EQ(counted, 1);
  EXPECT_DOUBLE_EQ(unknown, 0.75);
  EXPECT_TRUE(has_note(run, "75.0 %"));
}

TEST_F(Counted, AnnotationsTakePrecedence) {
  b.range(0, 10, "gemm | flop=5000 hbm=700 precision=fp8_e4m3");
  b.launch(5, 100, 200, "k");
  reading("k", 90, {{kHbmCounter, 1000}, {kBf16Counter, 8000}, {kL2Counter, 100}});
  const RunAnalysis run = analyzed();
  ASSERT_EQ(run.rows.size(), 1u);
  const KernelRow& row = run.rows[0];
  EXPECT_EQ(row.origin, WorkOrigin::annotated_and_counted);
  EXPECT_EQ(row.work.flop, (std::map<Precision, double>{{Precision::fp8_e4m3, 5000.0}}));
  EXPECT_DOUBLE_EQ(row.work.bytes.at(MemoryLevel::hbm), 700);
  EXPECT_DOUBLE_EQ(row.work.bytes.at(MemoryLevel::l2), 3200);
}

// FLOPs and bytes that were counted replace the modeled ones; a tier that was not counted is
// modeled.
TEST_F(Counted, CountersTakePrecedenceOverShapes) {
  b.range(0, 10, "aten::mm | flop=5000 hbm=700 precision=bf16 class=gemm source=model");
  b.launch(5, 100, 200, "k");
  b.range(300, 310, "aten::mm | flop=5000 hbm=700 precision=bf16 class=gemm source=model");
  b.launch(305, 400, 500, "j");
  reading("k", 90, {{kBf16Counter, 8000}, {kL2Counter, 100}});
  const RunAnalysis run = analyzed();
  ASSERT_EQ(run.rows.size(), 2u);
  const bool k_first = run.rows[0].short_name == "k";
  const KernelRow& k = run.rows[k_first ? 0 : 1];
  EXPECT_EQ(k.origin, WorkOrigin::modeled_and_counted);
  EXPECT_EQ(k.work.flop, (std::map<Precision, double>{{Precision::bf16, 8000.0}}));
  EXPECT_DOUBLE_EQ(k.work.bytes.at(MemoryLevel::hbm), 700);
  EXPECT_DOUBLE_EQ(k.work.bytes.at(MemoryLevel::l2), 3200);
  const KernelRow& j = run.rows[k_first ? 1 : 0];
  EXPECT_EQ(j.origin, WorkOrigin::modeled);
  EXPECT_EQ(j.work.flop, (std::map<Precision, double>{{Precision::bf16, 5000.0}}));
}

TEST_F(Counted, LaunchesThatDifferGiveARate) {
  // A persistent kernel of one grid: a small product in 1 us, one three times as large in 3 us.
  b.kernel(0, 2000, "k");
  b.kernel(5000, 11000, "k");
  reading("k", 1000, {{kBf16Counter, 1e6}, {kHbmCounter, 2000}});
  reading("k", 3000, {{kBf16Counter, 3e6}, {kHbmCounter, 6000}});
  const RunAnalysis run = analyzed();
  ASSERT_EQ(run.rows.size(), 1u);
  const KernelRow& row = run.rows[0];
  EXPECT_EQ(row.origin, WorkOrigin::counted_rate);
  // 4e6 operations in 4 us, 8000 bytes in 4 us; the row took 8 us.
  EXPECT_DOUBLE_EQ(row.work.flop.at(Precision::bf16), 8e6);
  EXPECT_DOUBLE_EQ(row.work.bytes.at(MemoryLevel::hbm), 16000);
  EXPECT_TRUE(has_note(run, "different amounts of work"));
}

TEST_F(Counted, DifferentCacheStatesGiveNoRate) {
  b.kernel(0, 50, "k");
  reading("k", 40, {{kHbmCounter, 9e6}, {kBf16Counter, 1e6}});
  reading("k", 40, {{kHbmCounter, 1e6}, {kBf16Counter, 1e6}});
  EXPECT_EQ(analyzed().rows[0].origin, WorkOrigin::counted);
}

TEST_F(Counted, IncompleteOperationCountsAreIgnored) {
  // The second group was never read for "j", whose FP32 operations are few beside those of tensor
  // cores, and the first never for "i".
  b.kernel(0, 50, "k");
  b.kernel(100, 150, "j");
  b.kernel(200, 250, "i");
  reading("i", 40, {{kHbmCounter, 1000}, {kFfma, 16}});
  for (const char* name : {"k", "j"})
    reading(name, 40, {{kHbmCounter, 1000}, {kBf16Counter, 8000}});
  reading("k", 40, {{kFfma, 16}});
  const RunAnalysis run = analyzed();
  EXPECT_EQ(find_row(run, "k")->work.total_flop(), 8000 + 32);
  EXPECT_EQ(find_row(run, "j")->work.total_flop(), 8000);
  EXPECT_EQ(find_row(run, "i")->work.total_flop(), 0);
  EXPECT_EQ(find_row(run, "j")->work.bytes.at(MemoryLevel::hbm), 1000);
}

TEST_F(Counted, UnavailableValuesAreMissing) {
  b.kernel(0, 50, "k");
  reading("k", 40, {{kHbmCounter, std::numeric_limits<double>::quiet_NaN()}, {kL2Counter, 100}});
  const RunAnalysis run = analyzed();
  EXPECT_FALSE(run.rows[0].work.bytes.contains(MemoryLevel::hbm));
  EXPECT_DOUBLE_EQ(run.rows[0].work.bytes.at(MemoryLevel::l2), 3200);
}

TEST_F(Counted, OtherLinkTrafficIsIgnored) {
  b.kernel(0, 50, "k");
  b.kernel(100, 150, "host_reader");
  for (const auto& [name, pcie] : {std::pair("k", 9.0), std::pair("host_reader", 500.0)}) {
    reading(name, 40,
            {{kHbmCounter, 1000}, {"pcie__read_bytes.sum", pcie}, {"pcie__write_bytes.sum", 0.0}});
  }
  const RunAnalysis run = analyzed();
  EXPECT_FALSE(find_row(run, "k")->work.bytes.contains(MemoryLevel::pcie));
  EXPECT_EQ(find_row(run, "host_reader")->work.bytes.at(MemoryLevel::pcie), 500);
}

TEST_F(Counted, WithoutTheGpusCapabilityThereAreNoTiers) {
  b.profile().gpus.clear();
  b.kernel(0, 50, "k");
  reading("k", 40, {{kHbmCounter, 1000}, {kBf16Counter, 8000}});
  const store::Profile profile = b.build();
  const WorkSources sources(profile, LaunchTable(profile), kernel_rules(), {});
  const CountedWork* work = sources.counted_of(0);
  ASSERT_NE(work, nullptr);
  EXPECT_TRUE(work->bytes.empty());
  EXPECT_EQ(work->flop.at(Precision::bf16), 8000);
}

}  // namespace
}  // namespace mansard::analysis
