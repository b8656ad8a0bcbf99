// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/arena.h"

#include <cstring>

#include <gtest/gtest.h>

#include "kernels/recipes/cpu_backend.h"
#include "kernels/recipes/training_step.h"
#include "tests/kernels/recipes/small_problem.h"

namespace mansard::kernels {
namespace {

// Counts its allocations and reports a given free memory.
class SmallBackend : public CpuBackend {
 public:
  explicit SmallBackend(double free_bytes) : free_bytes_(free_bytes) {}
  double free_bytes() const override { return free_bytes_; }
  std::string memory_name() const override { return "a small device"; }
  std::shared_ptr<void> allocate(std::int64_t bytes) override {
    allocated_.push_back(bytes);
    return CpuBackend::allocate(bytes);
  }
  const std::vector<std::int64_t>& allocated() const { return allocated_; }

 private:
  double free_bytes_;
  std::vector<std::int64_t> allocated_;
};

std::uintptr_t address(const Buffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.as<void>());
}

TEST(Arena, PlacesPiecesAtMultiplesOf256Bytes) {
  Arena arena;
  const std::vector<std::int64_t> sizes = {1, 256, 257, 0, 4000};
  std::vector<Buffer> pieces;
  for (const std::int64_t size : sizes) pieces.push_back(arena.reserve(size));
  SmallBackend backend(1e9);
  EXPECT_EQ(arena.bytes(), 256 + 256 + 512 + 0 + 4096);
  arena.allocate(backend);
  EXPECT_EQ(backend.allocated(), std::vector<std::int64_t>{arena.bytes()});
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(address(pieces[i]) % 256, 0u);
    if (i > 0) {
      EXPECT_EQ(address(pieces[i]) - address(pieces[i - 1]),
                static_cast<std::uintptr_t>(round_up(sizes[i - 1], 256)));
    }
    std::memset(pieces[i].as<void>(), 0xff, static_cast<std::size_t>(sizes[i]));
  }
}

TEST(Arena, SharesOnePiecePerKindOfTheLargestRequest) {
  Arena arena;
  const Buffer small = arena.share(Scratch::operand_a, 100);
  const Buffer other = arena.share(Scratch::operand_b, 10);
  const Buffer large = arena.share(Scratch::operand_a, 1000);
  EXPECT_EQ(arena.bytes(), 1024 + 256);
  SmallBackend backend(1e9);
  arena.allocate(backend);
  EXPECT_EQ(address(small), address(large));
  EXPECT_NE(address(small), address(other));
}

TEST(Arena, ReservesOnlyBeforeAndIsUsedOnlyAfterAllocation) {
  Arena arena;
  const Buffer piece = arena.reserve(16);
  EXPECT_THROW(piece.as<void>(), std::logic_error);
  SmallBackend backend(1e9);
  arena.allocate(backend);
  EXPECT_THROW(arena.reserve(16), std::logic_error);
  EXPECT_THROW(arena.share(Scratch::operand_a, 16), std::logic_error);
  EXPECT_THROW(arena.allocate(backend), std::logic_error);
}

TEST(Arena, FillsAllPieces) {
  SmallBackend backend(1e9);
  Arena arena;
  const Buffer first = arena.reserve(300), last = arena.reserve(512);
  EXPECT_THROW(arena.fill(backend, 1), std::logic_error);
  arena.allocate(backend);
  for (const Buffer& piece : {first, last}) std::memset(piece.as<void>(), 0, 300);
  arena.fill(backend, 1);
  for (const Buffer& piece : {first, last}) {
    int zeros = 0;
    for (int i = 0; i < 150; ++i) zeros += bf16::to_float(piece.as<Bf16>()[i]) == 0;
    EXPECT_LT(zeros, 10);
  }
}

TEST(MemoryOfAStep, IsOneAllocation) {
  for (const Recipe recipe : kRecipes) {
    SmallBackend backend(1e9);
    const TrainingStep step({kSmallProblem, kSmallProblem}, recipe, backend, 2);
    EXPECT_EQ(backend.allocated(), std::vector<std::int64_t>{step.memory_bytes()});
  }
}

TEST(MemoryOfAStep, HoldsOnePairOfExpandedOperandsForAllLayers) {
  SmallBackend backend(1e9);
  const TrainingStep one({kSmallProblem}, Recipe::nvfp4, backend);
  const TrainingStep three({kSmallProblem, kSmallProblem, kSmallProblem}, Recipe::nvfp4, backend);
  const std::int64_t a = 2 * 160 * 224, b = 2 * 224 * 96;  // the larger of x and dy, and of x and W
  EXPECT_EQ(three.memory_bytes() - (a + b), 3 * (one.memory_bytes() - (a + b)));
  for (const Pass pass : kPasses) {
    const GemmProblem& first = three.layers().front().plan(pass).gemm;
    const GemmProblem& last = three.layers().back().plan(pass).gemm;
    EXPECT_EQ(first.a.data, last.a.data);
    EXPECT_EQ(first.b.data, last.b.data);
    EXPECT_NE(first.c, last.c);
  }
}

TEST(MemoryOfAStep, IsCheckedBeforeAnythingRuns) {
  SmallBackend backend(2e5);
  try {
    TrainingStep({kSmallProblem}, Recipe::bf16, backend);
    FAIL() << "a step of 334 kB fits 200 kB";
  } catch (const std::runtime_error& error) {
    // x, dx, y, dy and W in BF16, dW in FP32; all are multiples of 256 bytes.
    const std::string message = error.what();
    EXPECT_NE(message.find("334 kB"), std::string::npos) << message;
    EXPECT_NE(message.find("200 kB"), std::string::npos) << message;
    EXPECT_NE(message.find("a small device"), std::string::npos) << message;
    EXPECT_NE(message.find("--tokens"), std::string::npos) << message;
  }
  EXPECT_TRUE(backend.allocated().empty());
}

}  // namespace
}  // namespace mansard::kernels
