// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/timeline_fixture.h"

#include <array>
#include <random>

#include "tests/reports/fixture.h"

namespace mansard::fixture {
namespace {

constexpr std::int64_t kThread = (std::int64_t{4711} << 24) | 4711;
constexpr int kKernelsPerLayer = 10;

constexpr std::array kNames = {
    "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_NNT",
    "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>(Flash_fwd_params)",
    "void quantize_rowwise_e4m3<256>(__nv_bfloat16 const*, __nv_fp8_e4m3*, float*)",
    "void rms_norm_backward<__nv_bfloat16, float, 4096>(float*, const __nv_bfloat16*)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::silu_mul>(int)",
    "void adamw_multi_tensor<float, 4>(TensorListMetadata<4>, float)",
    "void transpose_tiles<float, 32>(float const*, float*)",
};

class Recorder {
 public:
  Recorder() {
    profile_.file = "long.sqlite";
    profile_.session.state = store::RecordingState::complete;
    profile_.session.command = "python train.py";
    store::GpuRecord& gpu = profile_.gpus.emplace_back();
    gpu.name = "NVIDIA H200";
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      profile_.strings[static_cast<store::StringId>(i) + 1] = kNames[i];
    }
    profile_.strings[kLaunch] = "cudaLaunchKernel_v7000";
    profile_.strings[kCopy] = "cudaMemcpyAsync_v3020";
    profile_.strings[kWait] = "cudaStreamSynchronize_v3020";
  }

  void step(int number, int launches) {
    const std::size_t step = open("step " + std::to_string(number));
    std::size_t layer = 0;
    for (int i = 0; i < launches; ++i) {
      if (i % kKernelsPerLayer == 0) {
        if (i > 0) close(layer);
        layer = open("layers." + std::to_string(i / kKernelsPerLayer));
      }
      call(kLaunch, 3000);
      const std::int64_t length_ns = 800 + static_cast<std::int64_t>(random_() % 40'000);
      launch(i % static_cast<int>(kNames.size()), number == 0 ? 3 * length_ns : length_ns);
    }
    close(layer);
    call(kCopy, 4000);
    copy();
    call(kWait, 1000);
    close(step);
    host_ns_ = std::max(host_ns_, device_ns_) + 20'000;
    sample();
  }

  store::Profile take() { return std::move(profile_); }

 private:
  static constexpr store::StringId kLaunch = 101;
  static constexpr store::StringId kCopy = 102;
  static constexpr store::StringId kWait = 103;

  std::size_t open(const std::string& text) {
    store::NvtxRecord& range = profile_.nvtx.emplace_back();
    range.row_id = static_cast<std::int64_t>(profile_.nvtx.size());
    range.start_ns = host_ns_;
    range.global_tid = kThread;
    range.text = text;
    host_ns_ += 500;
    return profile_.nvtx.size() - 1;
  }
  void close(std::size_t range) { profile_.nvtx[range].end_ns = host_ns_; }

  void call(store::StringId name, std::int64_t length_ns) {
    store::ApiRecord& record = profile_.api_calls.emplace_back();
    record.start_ns = host_ns_;
    record.end_ns = host_ns_ + length_ns;
    record.global_tid = kThread;
    record.correlation_id = ++correlation_;
    record.name = name;
    host_ns_ += length_ns + 400;
  }

  void launch(int name, std::int64_t length_ns) {
    store::KernelRecord& kernel = profile_.kernels.emplace_back();
    kernel.start_ns = std::max(device_ns_ + 900, host_ns_);
    kernel.end_ns = kernel.start_ns + length_ns;
    kernel.stream_id = 7;
    kernel.correlation_id = correlation_;
    kernel.demangled_name = name + 1;
    kernel.grid = {132, 1, 1};
    kernel.block = {384, 1, 1};
    device_ns_ = kernel.end_ns;
  }

  void copy() {
    store::MemcpyRecord& record = profile_.memcpys.emplace_back();
    record.start_ns = device_ns_ + 2000;
    record.end_ns = record.start_ns + 15'000;
    record.stream_id = 13;
    record.correlation_id = correlation_;
    record.bytes = 800'000;
    record.copy_kind = 1;
    device_ns_ = record.end_ns;
  }

  void sample() {
    store::DeviceStateSample& state = profile_.device_states.emplace_back();
    state.timestamp_ns = device_ns_;
    state.sm_clock_hz = 1.7e9 + static_cast<double>(random_() % 280) * 1e6;
    state.power_w = 500 + static_cast<double>(random_() % 2000) / 10;
  }

  store::Profile profile_;
  std::mt19937 random_{1};
  std::int64_t host_ns_ = 5'000'000;
  std::int64_t device_ns_ = 0;
  std::int64_t correlation_ = 0;
};

}  // namespace

analysis::RunAnalysis long_recording(int steps, int launches) {
  Recorder recorder;
  for (int i = 0; i < steps; ++i) recorder.step(i, launches);
  return analysis::analyze_run(recorder.take(), {h200()});
}

}  // namespace mansard::fixture
