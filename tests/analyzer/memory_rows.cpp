// SPDX-License-Identifier: Apache-2.0
// Memcpys and memsets as rows: bytes, links, and the analysis of profiles that consist mostly of
// them.
#include <limits>

#include <gtest/gtest.h>

#include "analyzer/advice/advice.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

constexpr std::int32_t kHtoD = 1, kDtoH = 2, kDtoD = 8;
constexpr std::int32_t kPageable = 0, kPinned = 1, kDevice = 2;

roofline::MachineModel machine_with_links() {
  roofline::MachineModel machine = test_machine();
  for (roofline::DeviceModel& device : machine.devices) {
    if (device.device.target != kernels::Target::cuda) continue;
    roofline::Ceiling both = bandwidth_ceiling(MemoryLevel::pcie, 9e10);
    both.id = "pcie_both_pinned";
    roofline::Ceiling h2d = bandwidth_ceiling(MemoryLevel::pcie, 5e10);
    h2d.id = "pcie_h2d_pinned";
    device.ceilings.push_back(both);
    device.ceilings.push_back(h2d);
  }
  return machine;
}

void copy(ProfileBuilder& b, std::int64_t start, std::int64_t end, std::int64_t bytes,
          std::int32_t kind, std::int32_t source, std::int32_t destination) {
  store::MemcpyRecord& record = b.memcpy(start, end);
  record.bytes = bytes;
  record.copy_kind = kind;
  record.src_kind = source;
  record.dst_kind = destination;
}

const analysis::KernelRow& row(const analysis::RunAnalysis& run, const std::string& name) {
  for (const analysis::KernelRow& r : run.rows) {
    if (r.name == name) return r;
  }
  throw std::out_of_range(name);
}

// 8 kB at 1e10 B/s take 0.8 us, less than any memset, and 16 kB 1.6 us. If the machine has a launch
// ceiling, that bounds the first.
TEST(MemoryRows, ShortOnesHaveNoSolTimeFromBandwidthAlone) {
  const auto memset_run = [](std::int64_t bytes, bool launches) {
    ProfileBuilder b;
    b.launch(0, 0, kMs, "my_kernel");
    store::MemsetRecord& record = b.profile().memsets.emplace_back();
    record.start_ns = kMs;
    record.end_ns = kMs + 2'000;
    record.bytes = bytes;
    record.mem_kind = kDevice;
    roofline::MachineModel machine = test_machine();
    roofline::DeviceModel& device = machine.devices.front();
    std::erase_if(device.ceilings,
                  [&](const roofline::Ceiling& c) { return c.unit == "s" && !launches; });
    return analysis::analyze_run(b.build(), {machine});
  };
  const auto sol_s = [](const analysis::RunAnalysis& run) {
    return row(run, "Memset (Device)").sol.time_s;
  };
  EXPECT_EQ(sol_s(memset_run(8'000, false)), 0);
  EXPECT_FALSE(row(memset_run(8'000, false), "Memset (Device)").slowdown);
  EXPECT_NEAR(sol_s(memset_run(16'000, false)), 1.6e-6, 1e-12);
  EXPECT_NEAR(sol_s(memset_run(8'000, true)), 1e-6, 1e-12);
}

TEST(MemoryRows, HaveBytesAndLink) {
  ProfileBuilder b;
  b.launch(0, 0, kMs, "my_kernel");
  // 1e7 B in 2 ms are 5 GB/s; the link allows 5e10 B/s in this direction: 0.2 ms, 10 times less.
  copy(b, 2 * kMs, 4 * kMs, 10'000'000, kHtoD, kPageable, kDevice);
  copy(b, 5 * kMs, 7 * kMs, 10'000'000, kHtoD, kPageable, kDevice);
  copy(b, 8 * kMs, 9 * kMs, 10'000'000, kHtoD, kPinned, kDevice);
  copy(b, 10 * kMs, 11 * kMs, 1'000, kHtoD, kPageable, kDevice);
  copy(b, 12 * kMs, 13 * kMs, 1'000'000, kDtoD, kDevice, kDevice);
  copy(b, 14 * kMs, 15 * kMs, 4, kDtoH, kDevice, kPinned);
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {machine_with_links()});
  ASSERT_EQ(run.rows.size(), 6u) << "by direction, kinds of memory and size";
  const analysis::KernelRow& large = run.rows[0];
  EXPECT_EQ(large.name, "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(large.operation_class, "memcpy");
  EXPECT_EQ(large.shape, "1 MiB to 16 MiB");
  EXPECT_EQ(large.launches, 2);
  EXPECT_EQ(large.origin, analysis::WorkOrigin::recorded);
  EXPECT_DOUBLE_EQ(large.work.bytes.at(MemoryLevel::pcie), 2e7);
  EXPECT_EQ(large.sol.ceiling, "pcie_h2d_pinned") << "not that of both directions at once";
  EXPECT_DOUBLE_EQ(*large.slowdown, 10);
  // Read and written.
  EXPECT_DOUBLE_EQ(row(run, "Memcpy DtoD (Device -> Device)").work.bytes.at(MemoryLevel::hbm), 2e6);
  double share = 0;
  for (const analysis::KernelRow& r : run.rows) share += r.share;
  EXPECT_NEAR(share, 1, 1e-12);
  EXPECT_TRUE(run.points.empty()) << "no FLOPs, no point on the roofline";
}

// The largest size that a damaged file can contain.
TEST(MemoryRows, AllSizesHaveAText) {
  for (const auto& [bytes, text] : {std::pair{std::int64_t{1} << 62, "1 EiB to 16 EiB"},
                                    {std::numeric_limits<std::int64_t>::max(), "1 EiB to 16 EiB"},
                                    {std::int64_t{1} << 60, "64 PiB to 1 EiB"},
                                    {std::int64_t{-1}, "up to 1 B"}}) {
    ProfileBuilder b;
    copy(b, 0, kMs, bytes, kHtoD, kPageable, kDevice);
    EXPECT_EQ(analysis::analyze_run(b.build(), {test_machine()}).rows.at(0).shape, text) << bytes;
  }
}

TEST(MemoryRows, DominateAProfileOfMemcpys) {
  // 98 ms of memcpys and 2 ms of kernels.
  ProfileBuilder b;
  for (int i = 0; i < 2; ++i) {
    copy(b, i * 50 * kMs, (i * 50 + 49) * kMs, 392'000'000, kHtoD, kPageable, kDevice);
    b.launch(i, (i * 50 + 49) * kMs, (i * 50 + 50) * kMs, i == 0 ? "my_gemm" : "my_softmax");
  }
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {machine_with_links()});
  const analysis::RunUnit unit(run);
  EXPECT_EQ(unit.name(), "run");
  const auto shares = unit.shares();
  ASSERT_FALSE(shares.empty());
  EXPECT_EQ(shares.front().first, analysis::kMemcpyClass);
  EXPECT_NEAR(shares.front().second, 0.98, 1e-9);
  const std::vector<analysis::Advice> advice = analysis::all_advice(run, unit);
  ASSERT_FALSE(advice.empty());
  EXPECT_EQ(advice.front().id, "memory_operations");
  ASSERT_TRUE(advice.front().saving_s);
  EXPECT_NEAR(*advice.front().saving_s, 98e-3, 1e-9);
  EXPECT_NE(advice.front().remedy.find("pinned memory"), std::string::npos)
      << advice.front().remedy;
  ASSERT_EQ(advice.front().rows.size(), 1u);
  const analysis::KernelRow& memcpys = run.rows.at(advice.front().rows.front());
  EXPECT_EQ(memcpys.name, "Memcpy HtoD (Pageable -> Device)");
  // 392 MB in 49 ms are 8 GB/s, of 50 GB/s.
  EXPECT_EQ(memcpys.sol.bound_label, "PCIe");
  EXPECT_NEAR(memcpys.work.bytes.at(MemoryLevel::pcie) / memcpys.time_s, 8e9, 1);
  EXPECT_NEAR(*memcpys.slowdown, 1 / 0.16, 1e-9);
}

}  // namespace
}  // namespace mansard::test
