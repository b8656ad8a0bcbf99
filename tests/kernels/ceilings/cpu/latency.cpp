// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/cpu/latency.h"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/ceilings/cpu/line_order.h"
#include "kernels/ceilings/cpu/working_sets.h"
#include "tests/kernels/ceilings/cpu/of_size.h"

namespace mansard::kernels {
namespace {

TEST(LineOrder, NamesEachLineOnce) {
  for (const std::uint64_t lines : {2u, 3u, 31u, 32u, 33u, 1000u, 4096u, 65537u}) {
    for (const std::uint64_t seed : {1u, 2u}) {
      const LineOrder order(lines, seed);
      std::vector<bool> seen(lines);
      for (std::uint64_t place = 0; place < lines; ++place) {
        const std::uint64_t line = order.line(place);
        ASSERT_LT(line, lines);
        ASSERT_FALSE(seen[line]) << line << " of " << lines;
        seen[line] = true;
      }
    }
  }
}

// Predictable by a prefetcher: the next line is close, or at the same distance as the previous one.
TEST(LineOrder, HasNoStride) {
  constexpr std::int64_t kLines = 1 << 16;
  const LineOrder order(kLines, 1);
  const auto line = [&](std::int64_t place) {
    return static_cast<std::int64_t>(order.line(static_cast<std::uint64_t>(place)));
  };
  int near = 0;
  int repeated = 0;
  for (std::int64_t place = 2; place < kLines; ++place) {
    const std::int64_t step = line(place) - line(place - 1);
    near += std::abs(step) <= 64;
    repeated += step == line(place - 1) - line(place - 2);
  }
  // 128 / 65,536 of 65,534 random steps are that close, and hardly any repeat.
  EXPECT_LT(near, 200);
  EXPECT_LT(repeated, 20);
}

std::string verify(Chase faulty, std::int64_t bytes) {
  return prepare_latency(faulty, InstructionSet::baseline, host_device(), of_size(bytes))->verify();
}

TEST(Latency, CorrectChasePasses) {
  for (const std::int64_t bytes : {2048, 4096, 5000, 1 << 20}) {
    EXPECT_EQ(verify(chase, bytes), "") << bytes;
  }
}

TEST(Latency, ChaseThatStaysIsDetected) {
  EXPECT_NE(verify(
                [](const void* line, std::int64_t accesses) {
                  chase(line, accesses);
                  return line;
                },
                4096),
            "");
}

TEST(Latency, ChaseThatSkipsAnAccessIsDetected) {
  EXPECT_NE(verify(
                [](const void* line, std::int64_t accesses) {
                  for (std::int64_t i = 1; i < accesses; ++i) {
                    line = *static_cast<const void* const*>(line);
                  }
                  return line;
                },
                4096),
            "");
}

// Like a hole in the order: a line's pointer leads back to the line that the chase came from.
TEST(Latency, UnvisitedLineIsDetected) {
  EXPECT_NE(verify(
                [](const void* line, std::int64_t accesses) {
                  struct Line {
                    Line* next;
                  };
                  auto* const first = static_cast<Line*>(const_cast<void*>(line));
                  first->next->next = first;
                  return chase(line, accesses);
                },
                4096),
            "");
}

TEST(Latency, CountsItsAccesses) {
  const auto kernel =
      prepare_latency(chase, InstructionSet::baseline, host_device(), of_size(1 << 16));
  const auto parameters = kernel->parameters();
  EXPECT_EQ(parameters.at("threads"), "1");
  EXPECT_EQ(parameters.at("working_set_bytes"), std::to_string(1 << 16));
  const double accesses = std::stod(parameters.at("accesses_per_launch"));
  EXPECT_EQ(kernel->work().operations, accesses);
  ASSERT_EQ(kernel->work().bytes.size(), 1u);
  EXPECT_EQ(kernel->work().bytes.begin()->second, 64 * accesses);
  EXPECT_EQ(kernel->work().flop, 0);
#ifdef __OPTIMIZE__
  // A load depends on the previous one, and no L1 responds within 2 cycles.
  kernel->launch(nullptr);
  EXPECT_GT(kernel->elapsed_device_s() / accesses, 2.0 / 10e9);
#endif
}

// One thread uses the caches of one core, for any number of cores.
TEST(Latency, TiersAreThoseOfOneCore) {
  DeviceInfo device = host_device();
  device.units = 64;
  device.l1_bytes = 32 * 1024;
  device.l2_bytes = 1 << 20;
  device.l3_bytes = 32 << 20;
  device.l1_count = 64;
  device.l2_count = 64;
  device.l3_count = 2;
  const std::vector<WorkingSet> sets = kernel_registry().find("cpu_latency")->working_sets(device);
  ASSERT_FALSE(sets.empty());
  EXPECT_EQ(sets.front().bytes, 4096);
  for (const WorkingSet& set : sets) {
    if (set.level == MemoryLevel::cpu_l1) {
      EXPECT_EQ(set.bytes, 16 * 1024);
    }
    if (set.level == MemoryLevel::cpu_l2) {
      EXPECT_LT(set.bytes, 1 << 20);
    }
    if (set.level == MemoryLevel::cpu_l3) {
      EXPECT_LT(set.bytes, 32 << 20);
    }
  }
}

}  // namespace
}  // namespace mansard::kernels
