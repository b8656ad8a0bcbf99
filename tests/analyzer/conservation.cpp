// SPDX-License-Identifier: Apache-2.0
// Random profiles: attribution neither loses nor invents work or time.
#include <random>

#include <gtest/gtest.h>

#include "analyzer/attribution/range_attribution.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

constexpr const char* kNames[] = {"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT",
                                  "nvfp4_quantize_1x16_kernel",
                                  "void softmax_warp_forward<float>(float*)", "my_kernel"};

class RandomProfile {
 public:
  explicit RandomProfile(unsigned seed) : random_(seed) {}

  store::Profile build() {
    for (const std::int64_t thread : {kMainThread, kOtherThread}) nested(thread, 0, 100000, 0);
    const int kernels = number(0, 400);
    std::int64_t device_ns = 200000;
    for (int i = 0; i < kernels; ++i) {
      const std::int64_t start = device_ns + number(-30, 50);
      device_ns = start + number(0, 3) * number(0, 100);
      store::KernelRecord& kernel =
          builder_.launch(number(0, 110000), start, device_ns, kNames[number(0, 3)],
                          number(0, 1) ? kMainThread : kOtherThread);
      kernel.grid[0] = number(1, 3);
      if (number(0, 20) == 0) kernel.graph_node_id = 1;
    }
    return builder_.build();
  }

 private:
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  // Fills [start, end) of a thread with nested push/pop ranges.
  void nested(std::int64_t thread, std::int64_t start, std::int64_t end, int depth) {
    std::int64_t at = start;
    while (depth < 4 && end - at > 100) {
      const std::int64_t begin = at + number(0, static_cast<int>((end - at) / 4));
      const std::int64_t stop = begin + number(0, static_cast<int>((end - begin) / 2));
      builder_.range(begin, stop, annotation(), thread);
      nested(thread, begin, stop, depth + 1);
      at = stop + 1;
    }
  }

  std::string annotation() {
    switch (number(0, 4)) {
      case 0:
        return "plain";
      case 1:
        return "a | flop=" + std::to_string(number(1, 1000)) + " precision=bf16 class=gemm";
      case 2:
        return "b | flop=" + std::to_string(number(1, 1000)) +
               " hbm=" + std::to_string(number(1, 1000));
      case 3:
        return "c | hbm=" + std::to_string(number(1, 1000)) + " l2=7 class=quantize";
      default:
        return "d | class=copy";
    }
  }

  std::mt19937 random_;
  ProfileBuilder builder_;
};

struct Sums {
  double flop = 0;
  double hbm_bytes = 0;
};

void add(Sums& sums, const kernels::WorkAnnotation& work) {
  sums.flop += work.flop;
  const auto hbm = work.bytes.find(MemoryLevel::hbm);
  if (hbm != work.bytes.end()) sums.hbm_bytes += hbm->second;
}

// Reference implementation without the sweep: of the ranges on the call's thread that contain its
// start, the one that started last.
std::optional<store::NvtxRecord> innermost(const store::Profile& profile,
                                           const store::ApiRecord& call) {
  std::optional<store::NvtxRecord> best;
  for (const store::NvtxRecord& range : profile.nvtx) {
    if (!profile.work.contains(range.row_id) || range.global_tid != call.global_tid) continue;
    if (range.start_ns > call.start_ns || call.start_ns >= range.end_ns) continue;
    const bool inside = !best || range.start_ns > best->start_ns ||
                        (range.start_ns == best->start_ns && range.end_ns <= best->end_ns);
    if (inside) best = range;
  }
  return best;
}

class Conservation : public testing::TestWithParam<unsigned> {};

TEST_P(Conservation, WorkAndTime) {
  const store::Profile profile = RandomProfile(GetParam()).build();
  const analysis::RunAnalysis run = analysis::analyze_run(profile, {test_machine()});
  const analysis::Attribution attribution = analysis::attribute_kernels(profile);

  // Expected total: the work of ranges with a kernel directly inside, and of host ranges.
  std::vector<bool> has_kernel(attribution.ranges.size());
  for (const std::int32_t range : attribution.range_of_kernel) {
    if (range >= 0) has_kernel[static_cast<std::size_t>(range)] = true;
  }
  Sums expected;
  double host_s = 0;
  for (std::size_t i = 0; i < attribution.ranges.size(); ++i) {
    const analysis::AttributedRange& range = attribution.ranges[i];
    if (has_kernel[i] || !range.device_work) add(expected, *range.work);
    if (!range.device_work) host_s += static_cast<double>(range.exclusive_ns) * 1e-9;
  }
  double kernel_s = 0;
  for (const store::KernelRecord& k : profile.kernels) {
    kernel_s += static_cast<double>(k.end_ns - k.start_ns) * 1e-9;
  }

  Sums found;
  double row_kernel_s = 0;
  double row_host_s = 0;
  double share = 0;
  std::size_t launches = 0;
  for (const analysis::KernelRow& row : run.rows) {
    found.flop += row.work.total_flop();
    const auto hbm = row.work.bytes.find(MemoryLevel::hbm);
    if (hbm != row.work.bytes.end()) found.hbm_bytes += hbm->second;
    (row.target == kernels::Target::host ? row_host_s : row_kernel_s) += row.time_s;
    if (row.target == kernels::Target::cuda) launches += row.launch_indices.size();
    share += row.share;
  }
  EXPECT_NEAR(found.flop, expected.flop, 1e-9 * (1 + expected.flop));
  EXPECT_NEAR(found.hbm_bytes, expected.hbm_bytes, 1e-9 * (1 + expected.hbm_bytes));
  EXPECT_NEAR(row_kernel_s, kernel_s, 1e-15 + 1e-9 * kernel_s);
  EXPECT_NEAR(row_host_s, host_s, 1e-15 + 1e-9 * host_s);
  EXPECT_EQ(launches, profile.kernels.size());
  EXPECT_NEAR(share, kernel_s + host_s > 0 ? 1.0 : 0.0, 1e-9);
  EXPECT_LE(run.busy_s, run.span_s * (1 + 1e-12));
}

TEST_P(Conservation, TheSweepMatchesTheReference) {
  const store::Profile profile = RandomProfile(GetParam()).build();
  const analysis::Attribution attribution = analysis::attribute_kernels(profile);
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const store::KernelRecord& kernel = profile.kernels[i];
    const auto call = std::find_if(
        profile.api_calls.begin(), profile.api_calls.end(),
        [&](const store::ApiRecord& c) { return c.correlation_id == kernel.correlation_id; });
    std::optional<store::NvtxRecord> expected;
    if (kernel.graph_node_id == 0) expected = innermost(profile, *call);
    const std::int32_t range = attribution.range_of_kernel[i];
    ASSERT_EQ(range >= 0, expected.has_value()) << "kernel " << i;
    if (range < 0) continue;
    const std::size_t found = attribution.ranges[static_cast<std::size_t>(range)].nvtx;
    EXPECT_EQ(profile.nvtx[found].row_id, expected->row_id) << "kernel " << i;
  }
}

TEST_P(Conservation, ExclusiveTimesAddUpToTheUnionOfEachThread) {
  const store::Profile profile = RandomProfile(GetParam()).build();
  const analysis::Attribution attribution = analysis::attribute_kernels(profile);
  std::int64_t exclusive_ns = 0;
  std::int64_t outermost_ns = 0;  // ranges nest, so the outermost ones are the union
  for (const analysis::AttributedRange& range : attribution.ranges) {
    exclusive_ns += range.exclusive_ns;
    if (range.parent < 0) outermost_ns += range.end_ns - range.start_ns;
  }
  EXPECT_EQ(exclusive_ns, outermost_ns);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Conservation, testing::Range(1u, 61u));

}  // namespace
}  // namespace mansard::test
