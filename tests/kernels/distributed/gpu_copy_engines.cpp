// SPDX-License-Identifier: Apache-2.0
// Threads as ranks, each with a GPU of its own: on one GPU, streams that wait for each other could
// share a hardware queue.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "kernels/distributed/collectives.h"
#include "kernels/recipes/backend.h"
#include "tests/kernels/distributed/run_ranks.h"

namespace mansard::kernels {
namespace {

class GpuCopyEngines : public testing::Test {
 protected:
  void SetUp() override {
    if (ranks() < 2) GTEST_SKIP() << "needs 2 GPUs";
  }
  static int ranks() { return static_cast<int>(std::min<std::size_t>(cuda_devices().size(), 8)); }

  // Runs `body` with each rank's group, backend and collectives.
  static std::vector<std::exception_ptr> errors_of(
      const std::function<void(ProcessGroup&, Backend&, Collectives&)>& body) {
    return errors_of_ranks(ranks(), [&](ProcessGroup& group) {
      const std::unique_ptr<Backend> backend =
          make_cuda_backend(cuda_devices()[static_cast<std::size_t>(group.rank())]);
      const std::unique_ptr<Collectives> collectives =
          make_collectives(group, *backend, Transport::copy_engines);
      body(group, *backend, *collectives);
    });
  }
  static void run(const std::function<void(ProcessGroup&, Backend&, Collectives&)>& body) {
    for (const std::exception_ptr& error : errors_of(body)) {
      if (error) std::rethrow_exception(error);
    }
  }

  // Differs between ranks and elements, and has no rounding errors in sums of 8.
  static float value(int rank, std::size_t i) {
    return static_cast<float>((i * 2654435761u + static_cast<std::size_t>(rank) * 40503u) % 100003);
  }
  static std::vector<float> values(int rank, std::size_t count) {
    std::vector<float> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = value(rank, i);
    return all;
  }
  static float sum(int ranks, std::size_t i) {
    float total = 0;
    for (int r = 0; r < ranks; ++r) total += value(r, i);
    return total;
  }
  static std::vector<float> read(Backend& backend, const float* data, std::size_t count) {
    std::vector<float> all(count);
    backend.read(all.data(), data, static_cast<std::int64_t>(4 * count));
    return all;
  }
};

// Sizes of one element, of less than a piece per rank, of no whole vectors, and of several parts.
TEST_F(GpuCopyEngines, AddOnAllRanks) {
  for (const std::size_t count : {1ul, 5ul, 1023ul, 1ul << 20, (5ul << 22) + 77}) {
    run([&](ProcessGroup& group, Backend& backend, Collectives& collectives) {
      const auto memory = backend.allocate(static_cast<std::int64_t>(4 * count + 256));
      auto* const data = static_cast<float*>(memory.get()) + 64;
      const std::vector<float> own = values(group.rank(), count);
      backend.write(data, own.data(), static_cast<std::int64_t>(4 * count));
      collectives.all_reduce(data, static_cast<std::int64_t>(count));
      collectives.join();
      const std::vector<float> result = read(backend, data, count);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(result[i], sum(group.size(), i)) << i << " of " << count;
      }
    });
  }
}

TEST_F(GpuCopyEngines, ScatterSumsAndGatherPieces) {
  const std::size_t piece = (3ul << 22) + 128;
  run([&](ProcessGroup& group, Backend& backend, Collectives& collectives) {
    const auto n = static_cast<std::size_t>(group.size());
    const std::size_t count = n * piece;
    const auto memory = backend.allocate(static_cast<std::int64_t>(4 * count));
    auto* const data = static_cast<float*>(memory.get());
    const std::vector<float> own = values(group.rank(), count);
    backend.write(data, own.data(), static_cast<std::int64_t>(4 * count));
    collectives.reduce_scatter(data, static_cast<std::int64_t>(count));
    collectives.join();
    const std::size_t first = static_cast<std::size_t>(group.rank()) * piece;
    std::vector<float> result = read(backend, data + first, piece);
    for (std::size_t i = 0; i < piece; ++i) {
      ASSERT_EQ(result[i], sum(group.size(), first + i)) << i;
    }
    collectives.all_gather(data + first, data, static_cast<std::int64_t>(4 * piece));
    collectives.join();
    result = read(backend, data, count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(result[i], sum(group.size(), i)) << i;
  });
}

// Each replay doubles what the one before has left, beside the sums of the ranks.
TEST_F(GpuCopyEngines, RunInGraphs) {
  const std::size_t count = (1ul << 22) + 4;
  run([&](ProcessGroup& group, Backend& backend, Collectives& collectives) {
    const auto memory = backend.allocate(static_cast<std::int64_t>(4 * count));
    auto* const data = static_cast<float*>(memory.get());
    const std::vector<float> own = values(0, count);
    const auto enqueue = [&] {
      collectives.all_reduce(data, static_cast<std::int64_t>(count) / 2);
      collectives.all_reduce(data + count / 2, static_cast<std::int64_t>(count) / 2);
      collectives.join();
    };
    backend.write(data, own.data(), static_cast<std::int64_t>(4 * count));
    enqueue();  // maps the memory of the others
    const std::function<void()> replay = backend.record(enqueue);
    for (int i = 0; i < 3; ++i) replay();
    const auto factor = static_cast<float>(std::pow(group.size(), 4));
    const std::vector<float> result = read(backend, data, count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(result[i], factor * own[i]) << i;
  });
}

TEST_F(GpuCopyEngines, EndWithALostRank) {
  const std::size_t count = 1ul << 24;
  const auto errors =
      errors_of([&](ProcessGroup& group, Backend& backend, Collectives& collectives) {
        const auto memory = backend.allocate(static_cast<std::int64_t>(4 * count));
        collectives.all_reduce(static_cast<float*>(memory.get()), count);
        collectives.join();
        backend.synchronize();
        group.barrier();
        if (group.rank() == group.size() - 1) throw std::runtime_error("dies");
        collectives.all_reduce(static_cast<float*>(memory.get()), count);
        collectives.join();
        backend.synchronize();
        group.require_all();
      });
  for (const std::exception_ptr& error : errors) {
    ASSERT_TRUE(error);
    EXPECT_THROW(std::rethrow_exception(error), std::runtime_error);
  }
}

}  // namespace
}  // namespace mansard::kernels
