// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/activity_translator.h"

#include <gtest/gtest.h>

#include "collector/store/global_ids.h"
#include "tests/collector/cupti/fake_observer.h"
#include "tests/collector/cupti/translator.h"
#include "tests/collector/sample.h"
#include "tests/support/scratch.h"

namespace mansard::collector {
namespace {

using test::base;
using test::Translator;

TEST_F(Translator, ReportsUsedGpusImmediately) {
  std::vector<std::string> told;
  ActivityTranslator telling(
      static_cast<std::int64_t>(test::kSessionStart_ns), test::name_of_call,
      [&](const store::GpuRecord& gpu) { told.push_back(gpu.uuid.substr(38)); });
  const auto known = [&](std::uint32_t id) {
    const CUpti_ActivityDevice5 record = test::device_record(id);
    telling.note(base(record));
  };
  const auto has_context = [&](std::uint32_t device) {
    CUpti_ActivityContext3 context{};
    context.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
    context.contextId = 10 + device;
    context.deviceId = device;
    telling.note(base(context));
  };
  known(0);
  known(2);
  EXPECT_TRUE(told.empty()) << "in the machine, but not used";
  has_context(2);
  has_context(1);
  EXPECT_EQ(told, (std::vector<std::string>{"02"}));
  known(1);
  EXPECT_EQ(told, (std::vector<std::string>{"02", "01"}));
  store::ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
  for (const std::uint32_t device : {1u, 3u, 2u, 0u, 0u, 1u}) {
    CUpti_ActivityKernel10 kernel = test::kernel_record();
    kernel.deviceId = device;
    kernel.contextId = 10 + device;
    telling.translate(base(kernel), writer);
  }
  EXPECT_EQ(told, (std::vector<std::string>{"02", "01", "00"}));
  known(3);
  known(3);
  EXPECT_EQ(told, (std::vector<std::string>{"02", "01", "00", "03"}));
}

TEST_F(Translator, Kernel) {
  const store::Profile p = translate(test::kernel_record());
  ASSERT_EQ(p.kernels.size(), 1u);
  const store::KernelRecord& k = p.kernels[0];
  EXPECT_EQ(k.start_ns, 1000);
  EXPECT_EQ(k.end_ns, 3000);
  EXPECT_EQ(k.device_id, 1);
  EXPECT_EQ(k.context_id, 2);
  EXPECT_EQ(k.stream_id, 7);
  EXPECT_EQ(k.correlation_id, 77);
  EXPECT_EQ(p.string(k.mangled_name), "_ZN2ns4gemmIfEEvPT_");
  EXPECT_EQ(p.string(k.demangled_name), "void ns::gemm<float>(float*)");
  EXPECT_EQ(p.string(k.short_name), "gemm");
  EXPECT_EQ(k.grid, (std::array<std::int32_t, 3>{11, 12, 13}));
  EXPECT_EQ(k.block, (std::array<std::int32_t, 3>{128, 2, 3}));
  EXPECT_EQ(k.cluster, (std::array<std::int32_t, 3>{2, 1, 4}));
  EXPECT_EQ(k.registers_per_thread, 168);
  EXPECT_EQ(k.static_shared_bytes, 1024);
  EXPECT_EQ(k.dynamic_shared_bytes, 232448);
  EXPECT_EQ(k.local_bytes_per_thread, 16);
  EXPECT_EQ(k.local_bytes_total, 5'000'000'000);
  EXPECT_EQ(k.grid_id, 99);
  EXPECT_EQ(k.graph_node_id, 8'589'934'595);
  EXPECT_EQ(k.graph_id, 3);
  EXPECT_EQ(k.launch_type, 2);  // ENUM_CUDA_KERNEL_LAUNCH_TYPE: cooperative, single device
}

TEST_F(Translator, KernelWithLostTimesIsCountedNotRecorded) {
  CUpti_ActivityKernel10 lost = test::kernel_record();
  lost.start = 0;
  lost.end = 0;
  const store::Profile p = translate(lost, test::kernel_record());
  EXPECT_EQ(p.kernels.size(), 1u);
  EXPECT_EQ(translator.without_times(), 1);
}

TEST_F(Translator, LaunchesWithReadCountersAreNotLost) {
  CUpti_ActivityKernel10 lost = test::kernel_record();
  lost.start = lost.end = 0;
  lost.correlationId = 12;
  CUpti_ActivityKernel10 read = lost;
  read.correlationId = 13;
  test::Observer observer;
  observer.read = 13;
  ActivityTranslator knowing(
      0, [](auto, auto) { return ""; }, {}, &observer);
  store::ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
  for (const auto& record : {lost, read, read}) {
    knowing.translate(reinterpret_cast<const CUpti_Activity&>(record), writer);
  }
  EXPECT_EQ(knowing.without_times(), 1);
}

TEST_F(Translator, KernelsOfCuptiAreNotThoseOfTheProgram) {
  CUpti_ActivityKernel10 own = test::kernel_record();
  own.name = "WaitNs";
  const CUpti_ActivityKernel10 kernel = test::kernel_record();
  test::Observer observer;
  ActivityTranslator knowing(
      0, [](auto, auto) { return ""; }, {}, &observer);
  {
    store::ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
    for (const auto& record : {own, kernel}) {
      knowing.translate(reinterpret_cast<const CUpti_Activity&>(record), writer);
    }
    writer.finish(store::RecordingState::complete);
  }
  EXPECT_EQ(store::load_profile(scratch / "a.sqlite").kernels.size(), 1u);
  ASSERT_EQ(observer.recorded.size(), 1u);
  EXPECT_EQ(observer.recorded[0].second, kernel.name);
}

TEST_F(Translator, CopiesFillsAndTheirMemoryKinds) {
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.bytes = 6'000'000'000;
  copy.start = test::kSessionStart_ns + 1;
  copy.end = test::kSessionStart_ns + 2;
  copy.correlationId = 5;
  CUpti_ActivityMemcpyPtoP4 peer{};
  peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  peer.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  peer.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN;
  peer.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  peer.bytes = 64;
  peer.start = test::kSessionStart_ns + 3;
  peer.end = test::kSessionStart_ns + 4;
  peer.correlationId = 6;
  CUpti_ActivityMemset4 fill{};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  fill.value = 255;
  fill.bytes = 4096;
  fill.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  fill.start = test::kSessionStart_ns + 5;
  fill.end = test::kSessionStart_ns + 6;

  const store::Profile p = translate(copy, peer, fill);
  ASSERT_EQ(p.memcpys.size(), 2u);
  EXPECT_EQ(p.memcpys[0].copy_kind, 1);
  EXPECT_EQ(p.memcpys[0].src_kind, 1);  // ENUM_CUDA_MEM_KIND: pinned
  EXPECT_EQ(p.memcpys[0].dst_kind, 2);  // device
  EXPECT_EQ(p.memcpys[0].bytes, 6'000'000'000);
  EXPECT_EQ(p.memcpys[0].correlation_id, 5);
  EXPECT_EQ(p.memcpys[1].copy_kind, 10);
  EXPECT_EQ(p.memcpys[1].src_kind, 7);  // unknown
  EXPECT_EQ(p.memcpys[1].correlation_id, 6);
  ASSERT_EQ(p.memsets.size(), 1u);
  EXPECT_EQ(p.memsets[0].value, 255);
  EXPECT_EQ(p.memsets[0].bytes, 4096);
  EXPECT_EQ(p.memsets[0].mem_kind, 2);
}

TEST_F(Translator, RuntimeAndDriverApiCalls) {
  const store::Profile p = translate(test::api_record(CUPTI_ACTIVITY_KIND_RUNTIME, 1),
                                     test::api_record(CUPTI_ACTIVITY_KIND_DRIVER, 1));
  ASSERT_EQ(p.api_calls.size(), 2u);
  EXPECT_EQ(p.string(p.api_calls[0].name), "cudaLaunchKernel_v7000");
  EXPECT_EQ(p.api_calls[0].event_class, 0);
  EXPECT_EQ(p.string(p.api_calls[1].name), "cuLaunchKernel");
  EXPECT_EQ(p.api_calls[1].event_class, 1);
  EXPECT_EQ(p.api_calls[0].global_tid, store::global_tid(4711, 4712));
  EXPECT_EQ(p.api_calls[0].start_ns, 500);
  EXPECT_EQ(p.api_calls[0].return_value, 2);
}

TEST_F(Translator, DevicesOfTheProgramOnce) {
  CUpti_ActivityDevice5 device{};
  device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  device.id = 0;
  device.name = "NVIDIA H200";
  device.globalMemorySize = 150'754'820'096;
  device.globalMemoryBandwidth = 4'800'000'000;  // kB/s
  device.coreClockRate = 1'980'000;              // kHz
  device.l2CacheSize = 62'914'560;
  device.numMultiprocessors = 132;
  device.computeCapabilityMajor = 9;
  device.isCudaVisible = 1;
  for (int i = 0; i < 16; ++i) device.uuid.bytes[i] = static_cast<char>(0x11 * i);
  CUpti_ActivityDevice5 hidden = device;
  hidden.id = 1;
  hidden.isCudaVisible = 0;
  const store::Profile p = translate(device, hidden, device);
  ASSERT_EQ(p.gpus.size(), 1u);
  EXPECT_EQ(p.gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(p.gpus[0].uuid, "GPU-00112233-4455-6677-8899-aabbccddeeff");
  EXPECT_EQ(p.gpus[0].memory_bandwidth_bytes_per_s, 4'800'000'000'000);
  EXPECT_EQ(p.gpus[0].clock_rate_hz, 1'980'000'000);
  EXPECT_EQ(p.gpus[0].l2_bytes, 62'914'560);
  EXPECT_EQ(p.gpus[0].sm_count, 132);
  EXPECT_EQ(p.gpus[0].compute_major, 9);
}

TEST_F(Translator, DetectsRecordsThatJustifyAFile) {
  EXPECT_TRUE(translator.is_work(base(test::kernel_record())));
  EXPECT_TRUE(translator.is_work(base(test::api_record(CUPTI_ACTIVITY_KIND_RUNTIME, 1))));
  EXPECT_TRUE(translator.is_work(base(test::api_record(CUPTI_ACTIVITY_KIND_DRIVER, 1))));
  EXPECT_FALSE(translator.is_work(base(test::api_record(CUPTI_ACTIVITY_KIND_RUNTIME, 2))));
  CUpti_ActivityDevice5 device{};
  device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  EXPECT_FALSE(translator.is_work(base(device)));
}

TEST_F(Translator, IgnoresUnknownKinds) {
  CUpti_ActivityKernel10 unknown = test::kernel_record();
  unknown.kind = CUPTI_ACTIVITY_KIND_PCIE;
  const store::Profile p = translate(unknown);
  EXPECT_TRUE(p.kernels.empty());
}

TEST(TracedCalls, WorkAndNoise) {
  EXPECT_TRUE(is_work_call("cuLaunchKernelEx"));
  EXPECT_TRUE(is_work_call("cuGraphLaunch_ptsz"));
  EXPECT_TRUE(is_work_call("cudaMemcpyAsync_v3020"));
  EXPECT_FALSE(is_work_call("cuCtxGetCurrent"));
  EXPECT_FALSE(is_work_call("cudaMalloc_v3020"));
  EXPECT_TRUE(is_noise_call("cudaGetLastError_v3020"));
  EXPECT_TRUE(is_noise_call("cudaGetDevice_v3020"));
  EXPECT_FALSE(is_noise_call("cudaDeviceSynchronize_v3020"));
  EXPECT_FALSE(is_noise_call("cudaEventSynchronize_v3020"));
  EXPECT_FALSE(is_noise_call("cudaLaunchKernel_v7000"));
}

}  // namespace
}  // namespace mansard::collector
