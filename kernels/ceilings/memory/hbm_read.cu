// SPDX-License-Identifier: Apache-2.0
// Ceiling of device memory for reads with 16-byte loads.
#include "kernels/ceilings/memory/read_kernel.cuh"
#include "kernels/ceilings/memory/stream_arrays.h"

namespace mansard::kernels {
namespace {

// One thread block per tile: 4.69 TB/s on an H200 for 1 to 16 loads per thread; persistent grids
// reached 3.6 to 4.65 (medians of 15, 2026-11-21).
using Shape = ReadShape<256, 8, 0, LoadHint::streaming>;
constexpr std::int64_t kBytes = stream::array_bytes(1);
constexpr std::int64_t kCount = kBytes / 4;
static_assert(kBytes % Shape::kTileBytes == 0, "whole tiles must cover the array");

class HbmRead : public PreparedKernel {
 public:
  explicit HbmRead(const DeviceInfo& device) : blocks_(read_blocks<Shape>(kBytes, device.units)) {
    fill();
  }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::hbm] = static_cast<double>(kBytes);
    return w;
  }
  void launch(void* stream) override {
    enqueue_read<Shape>(data_.get(), kBytes, blocks_, sums_.get(),
                        static_cast<cudaStream_t>(stream));
  }
  std::string verify() override {
    fill();
    sums_.clear();
    launch(nullptr);
    return sums_.difference(kCount, salt_);
  }
  std::map<std::string, std::string> parameters() const override {
    return {{"array_bytes", std::to_string(kBytes)},
            {"bytes_in_flight_per_thread", std::to_string(16 * Shape::kInFlight)},
            {"threads_per_block", std::to_string(Shape::kThreads)},
            {"blocks", std::to_string(blocks_)}};
  }

 private:
  void fill() {
    salt_ = hashed::fresh_salt();
    hashed::fill(data_.get(), kCount, salt_);
  }

  unsigned blocks_;
  std::uint32_t salt_ = 0;
  DeviceBuffer<std::uint32_t> data_{kCount};
  ReadSums sums_;
};

}  // namespace

void register_hbm_read(KernelRegistry& registry) {
  KernelSpec spec = stream::device_memory_spec("hbm_read", "Device memory, reads only");
  spec.fixed_pattern = hashed::kDescription;
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions&) {
    return std::make_unique<HbmRead>(device);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
