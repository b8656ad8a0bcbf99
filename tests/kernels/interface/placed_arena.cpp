// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <stdexcept>

#include <gtest/gtest.h>

#include "kernels/recipes/arena.h"
#include "kernels/recipes/backend.h"

namespace mansard::kernels {
namespace {

alignas(256) std::array<char, 4096> memory;
alignas(256) std::array<char, 4096> second_memory;

TEST(PlacedArena, PlacesPiecesByTheirLifetime) {
  Arena arena;
  const Buffer weight = arena.reserve(300, Lifetime::weight);
  const Buffer activation = arena.reserve(10);
  const Buffer second_weight = arena.reserve(5, Lifetime::weight);
  const Buffer scratch = arena.share(Scratch::operand_a, 100);
  EXPECT_EQ(arena.bytes(Lifetime::weight), 512 + 256);
  EXPECT_EQ(arena.bytes(Lifetime::activation), 256);
  EXPECT_EQ(arena.bytes(Lifetime::pass), 256);
  EXPECT_EQ(arena.bytes(Lifetime::state), 0);
  arena.place(Lifetime::weight, memory.data());
  EXPECT_EQ(weight.as<char>(), memory.data());
  EXPECT_EQ(weight.after(3).as<char>(), memory.data() + 3);
  EXPECT_EQ(second_weight.as<char>(), memory.data() + 512);
  EXPECT_THROW(activation.as<char>(), std::logic_error);
  EXPECT_THROW(scratch.as<char>(), std::logic_error);
  arena.place(Lifetime::weight, second_memory.data());
  EXPECT_EQ(second_weight.as<char>(), second_memory.data() + 512);
  arena.place(Lifetime::weight, nullptr);
  EXPECT_THROW(second_weight.as<char>(), std::logic_error);
}

TEST(PlacedArena, PlacesSinglePieces) {
  Arena arena;
  const Buffer tensor = arena.reserve(0, Lifetime::caller);
  const Buffer scalars = arena.reserve(16);
  arena.place(tensor, memory.data() + 16);
  EXPECT_EQ(tensor.as<char>(), memory.data() + 16);
  arena.set_lifetime(scalars.after(8), Lifetime::state);
  EXPECT_EQ(arena.bytes(Lifetime::activation), 0);
  arena.place(Lifetime::state, second_memory.data());
  EXPECT_EQ(scalars.as<char>(), second_memory.data());
}

TEST(PlacedArena, RefusesToMoveAllocatedMemory) {
  Arena arena;
  const Buffer piece = arena.reserve(16);
  const auto backend = make_cpu_backend();
  arena.allocate(*backend);
  EXPECT_THROW(arena.place(Lifetime::activation, memory.data()), std::logic_error);
  EXPECT_THROW(arena.place(piece, memory.data()), std::logic_error);
}

}  // namespace
}  // namespace mansard::kernels
