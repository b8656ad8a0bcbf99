// SPDX-License-Identifier: Apache-2.0
// A small profile whose sums can be checked by hand: two GPUs, two threads, memcpys, ranges,
// memory.
#pragma once

#include "collector/store/global_ids.h"
#include "tests/collector/sample.h"

namespace mansard::test {

class NsightRecording {
 public:
  explicit NsightRecording(const std::filesystem::path& file) : writer_(file, sample_session()) {
    describe_machine();
    run_kernels();
    move_data();
    enter_ranges();
    hold_up_the_host();
    writer_.finish(store::RecordingState::complete);
  }

 private:
  static constexpr std::int64_t kMain = store::global_tid(4711, 4711);
  static constexpr std::int64_t kLoader = store::global_tid(4711, 4712);

  void describe_machine() {
    for (const std::int32_t id : {0, 1}) {
      store::GpuRecord gpu;
      gpu.id = id;
      gpu.name = "NVIDIA H200";
      gpu.total_memory_bytes = 150'000'000'000;
      gpu.sm_count = 132;
      gpu.compute_major = 9;
      writer_.add(gpu);
      writer_.add(store::ContextRecord{.context_id = id + 1, .device_id = id, .null_stream_id = 7});
    }
    writer_.add(store::StreamRecord{.stream_id = 7, .context_id = 1, .flag = 3});
    writer_.add(store::StreamRecord{.stream_id = 8, .context_id = 1, .priority = -5, .flag = 2});
    writer_.add(store::StreamRecord{.stream_id = 7, .context_id = 2, .flag = 3});
    writer_.add_thread_name(kMain, "main");
    writer_.add_thread_name(kLoader, "loader");
  }

  void call(const char* name, std::int64_t thread, std::int64_t start, std::int64_t end,
            std::int64_t correlation) {
    store::ApiRecord a;
    a.start_ns = start;
    a.end_ns = end;
    a.global_tid = thread;
    a.correlation_id = correlation;
    a.name = writer_.intern(name);
    writer_.add(a);
  }

  void kernel(const char* name, std::int32_t device, std::int32_t stream, std::int64_t start,
              std::int64_t end, std::int64_t correlation) {
    store::KernelRecord k = sample_kernel(writer_);
    k.short_name = writer_.intern(name);
    k.device_id = device;
    k.context_id = device + 1;
    k.stream_id = stream;
    k.start_ns = start;
    k.end_ns = end;
    k.correlation_id = correlation;
    writer_.add(k);
  }

  void run_kernels() {
    call("cudaLaunchKernel_v7000", kMain, 900, 950, 1);
    call("cudaLaunchKernel_v7000", kMain, 960, 1010, 2);
    call("cudaLaunchKernel_v7000", kMain, 1020, 1070, 3);
    call("cudaLaunchKernel_v7000", kLoader, 800, 900, 4);
    kernel("gemm", 0, 7, 1000, 2000, 1);
    kernel("gemm", 0, 7, 2500, 4500, 2);
    kernel("relu", 0, 8, 1500, 3000, 3);  // overlaps both
    kernel("gemm", 1, 7, 1000, 1500, 4);
    call("cudaGraphLaunch_v10000", kMain, 8200, 8250, 12);
    writer_.add(store::GraphRecord{.start_ns = 8300,
                                   .end_ns = 9300,
                                   .device_id = 0,
                                   .context_id = 1,
                                   .stream_id = 7,
                                   .correlation_id = 12,
                                   .graph_id = 17,
                                   .graph_exec_id = 17});
  }

  void copy(std::int32_t kind, std::int64_t bytes, std::int64_t start, std::int64_t end) {
    store::MemcpyRecord m = sample_memcpy();
    m.device_id = 0;
    m.stream_id = 7;
    m.copy_kind = kind;
    m.bytes = bytes;
    m.start_ns = start;
    m.end_ns = end;
    writer_.add(m);
  }

  void move_data() {
    copy(1, 4'000'000, 5000, 6000);
    copy(1, 1'000'000, 6000, 6250);
    copy(2, 2'000'000, 7000, 7400);
    store::MemsetRecord fill = sample_memset();
    fill.device_id = 0;
    fill.stream_id = 7;
    fill.start_ns = 8000;
    fill.end_ns = 8100;
    writer_.add(fill);
  }

  void range(const char* text, bool registered, std::int64_t thread, std::int64_t start,
             std::int64_t end) {
    store::NvtxRecord n;
    n.start_ns = start;
    n.end_ns = end;
    n.global_tid = thread;
    if (registered) {
      n.text_id = writer_.intern(text);
    } else {
      n.text = text;
    }
    writer_.add(n);
  }

  void enter_ranges() {
    range("step", true, kMain, 880, 1080);
    range("fprop", false, kMain, 890, 1015);
    range("step", true, kMain, 2000, 2400);
    range("fprop", false, kLoader, 790, 910);
  }

  void wait(std::int32_t type, std::int64_t thread, std::int64_t start, std::int64_t end,
            std::int64_t correlation) {
    call(type == 4 ? "cudaDeviceSynchronize_v3020" : "cudaStreamSynchronize_v3020", thread,
         start - 10, end + 10, correlation);
    writer_.add(store::SynchronizationRecord{.start_ns = start,
                                             .end_ns = end,
                                             .device_id = 0,
                                             .context_id = 1,
                                             .stream_id = type == 4 ? store::kNoId : 7,
                                             .correlation_id = correlation,
                                             .sync_type = type});
  }

  void memory(std::int32_t operation, std::int64_t bytes, std::int64_t address, std::int64_t start,
              std::int64_t correlation, std::int32_t kind = 2) {
    store::MemoryRecord m;
    m.start_ns = start;
    m.device_id = 0;
    m.context_id = 1;
    m.correlation_id = correlation;
    m.address = address;
    m.bytes = bytes;
    m.mem_kind = kind;
    m.operation = operation;
    writer_.add(m);
  }

  void hold_up_the_host() {
    wait(3, kMain, 1300, 4600, 5);
    wait(3, kMain, 6300, 6400, 6);
    wait(4, kLoader, 2000, 4500, 7);
    call("cudaMalloc_v3020", kMain, 100, 200, 8);
    memory(0, 3000, 0x1000, 150, 8);
    call("cudaMalloc_v3020", kLoader, 210, 220, 9);
    memory(0, 5000, 0x9000, 215, 9);
    memory(0, 9000, 0x20000, 216, 0, 1);  // pinned: not GPU memory
    memory(1, 3000, 0x1000, 300, 0);
    memory(0, 1000, 0x1000, 400, 8);
    const auto overhead = [&](store::OverheadType type, std::int64_t start, std::int64_t end) {
      writer_.add(store::OverheadRecord{.start_ns = start,
                                        .end_ns = end,
                                        .global_tid = kMain,
                                        .name = writer_.intern("some overhead"),
                                        .type = type});
    };
    overhead(store::OverheadType::lazy_function_loading, 900, 930);
    overhead(store::OverheadType::buffer_flush, 9000, 9005);
    overhead(store::OverheadType::buffer_flush, 9500, 9507);
    writer_.add(store::DiagnosticRecord{40, store::Severity::info, "started"});
    writer_.add(store::DiagnosticRecord{50, store::Severity::warning, "slow"});
  }

  store::ProfileWriter writer_;
};

}  // namespace mansard::test
