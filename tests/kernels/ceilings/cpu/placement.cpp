// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/cpu/placement.h"

#include <cstring>

#include <gtest/gtest.h>

#include "kernels/ceilings/cpu/read.h"
#include "kernels/device/host_topology.h"

namespace mansard::kernels {
namespace {

using Numbers = std::vector<int>;

TEST(NextNode, ExchangesTwoNodes) {
  const Placement placement = next_node({0, 0, 1, 1});
  EXPECT_EQ(placement.toucher, (Numbers{2, 3, 0, 1}));
  EXPECT_EQ(placement.node, (Numbers{1, 1, 0, 0}));
}

TEST(NextNode, CyclesThroughThreeNodesWithAnyNumbers) {
  const Placement placement = next_node({4, 2, 8, 4, 2, 8});
  EXPECT_EQ(placement.node, (Numbers{2, 8, 4, 2, 8, 4}));
  EXPECT_EQ(placement.toucher, (Numbers{1, 2, 0, 4, 5, 3}));
}

TEST(NextNode, SharesTheThreadsOfASmallNode) {
  const Placement placement = next_node({0, 0, 0, 1});
  EXPECT_EQ(placement.toucher, (Numbers{3, 3, 3, 0}));
  EXPECT_EQ(placement.node, (Numbers{1, 1, 1, 0}));
}

TEST(NumaMemory, BoundPagesAreOnTheirNode) {
  const int node = read_host_topology().nodes.front();
  constexpr std::size_t kBytes = 1 << 20;
  const PageBuffer buffer(kBytes, Pages::system_default);
  EXPECT_EQ(node_of_page(buffer.data()), std::nullopt) << "not touched yet";
  const std::string refused = bind_to_node(buffer.data(), kBytes, node);
  if (!refused.empty()) GTEST_SKIP() << refused;
  std::memset(buffer.data(), 1, kBytes);
  if (!node_of_page(buffer.data()))
    GTEST_SKIP() << "this system does not report the node of a page";
  EXPECT_EQ(node_of_page(buffer.data() + kBytes - 1), node);
  EXPECT_EQ(misplaced(buffer, node), "");
  EXPECT_NE(misplaced(buffer, node + 1).find("instead of"), std::string::npos);
}

TEST(NumaMemory, ReportsANonexistentNode) {
  const PageBuffer buffer(1 << 20, Pages::system_default);
  EXPECT_NE(bind_to_node(buffer.data(), 1 << 20, -1), "");
  EXPECT_NE(bind_to_node(buffer.data(), 1 << 20, 100'000).find("100000"), std::string::npos);
}

PrepareOptions small() {
  PrepareOptions options;
  options.shape = {256 * 1024};
  return options;
}

// Slices touched by different threads than those that read them, as on two nodes.
TEST(ReadOfOthersSlices, IsCorrect) {
  const DeviceInfo device = host_device();
  Placement placement;
  for (int i = 0; i < device.units; ++i) placement.toucher.push_back((i + 1) % device.units);
  const auto kernel = prepare_read("cpu_read", vector_loops(supported_instruction_sets().back()),
                                   device, small(), placement);
  EXPECT_EQ(kernel->verify(), "");
  EXPECT_FALSE(kernel->parameters().contains("placed_by"));
}

TEST(ReadOfOthersSlices, DetectsPagesOnTheWrongNode) {
  const DeviceInfo device = host_device();
  Placement placement = own_node(device.units);
  placement.node.assign(static_cast<std::size_t>(device.units), 1000);  // cannot be bound there
  const auto kernel = prepare_read("cpu_read", vector_loops(supported_instruction_sets().back()),
                                   device, small(), placement);
  EXPECT_NE(kernel->parameters().at("placed_by").find("1000"), std::string::npos);
  const PageBuffer probe(4096, Pages::system_default);
  probe.data()[0] = std::byte{1};
  if (!node_of_page(probe.data())) GTEST_SKIP() << "this system does not report the node of a page";
  EXPECT_NE(kernel->verify().find("instead of 1000"), std::string::npos);
}

TEST(ReadOfTheNextNode, GivesAReasonIfUnsupported) {
  const KernelSpec* spec = kernel_registry().find("cpu_read_remote");
  ASSERT_NE(spec, nullptr);
  EXPECT_FALSE(spec->roof);
  EXPECT_EQ(spec->level, MemoryLevel::dram);
  const HostTopology host = read_host_topology();
  const std::string reason = spec->unsupported(host_device());
  if (host.machine_numa_nodes == 1) {
    EXPECT_EQ(reason, "needs two NUMA nodes; this machine has one");
  } else if (host.numa_nodes == 1) {
    EXPECT_NE(reason.find("taskset"), std::string::npos) << reason;
  } else {
    EXPECT_EQ(reason, "");
    EXPECT_THROW(spec->prepare(host_device(), small()), std::runtime_error) << "256 KiB of cache";
  }
}

}  // namespace
}  // namespace mansard::kernels
