// SPDX-License-Identifier: Apache-2.0
// Tests the order of calls to CUPTI and the handling of its buffers, with a fake CUPTI.
#include "collector/cupti/cupti_source.h"

#include <gtest/gtest.h>

#include "tests/collector/cupti/fake_observer.h"
#include "tests/collector/cupti/source_fixture.h"

namespace mansard::collector {
namespace {

using test::append;
using test::fake;
using test::fake_api;
using Source = test::SourceTest;

TEST_F(Source, CallsCuptiInOrder) {
  make()->stop();
  EXPECT_EQ(cupti.at("subscribe Mansard"), 0u);
  EXPECT_LT(cupti.at("thread ids 1"), cupti.at("enable 10"));  // by system thread id
  EXPECT_LT(cupti.at("register"), cupti.at("enable 10"));
  for (const auto kind :
       {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET,
        CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT,
        CUPTI_ACTIVITY_KIND_STREAM, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
        CUPTI_ACTIVITY_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_MEMORY2,
        CUPTI_ACTIVITY_KIND_MEMORY_POOL}) {
    EXPECT_TRUE(cupti.called("enable " + std::to_string(kind))) << kind;
  }
  EXPECT_LT(cupti.at("all sync records 0"),
            cupti.at("enable " + std::to_string(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)));
  EXPECT_FALSE(cupti.called("enable " + std::to_string(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)));
  EXPECT_FALSE(cupti.called("enable " + std::to_string(CUPTI_ACTIVITY_KIND_DRIVER)));
  EXPECT_LT(cupti.at("flush 1"), cupti.at("unsubscribe"));  // forced, before unsubscribing
}

TEST_F(Source, ChoosesTheCallsToTrace) {
  make();
  EXPECT_EQ(cupti.silenced_runtime, (std::vector<CUpti_CallbackId>{3}));
  EXPECT_EQ(cupti.enabled_driver, (std::vector<CUpti_CallbackId>{1, 3}));
}

TEST_F(Source, NamesTheToolThatUsesCupti) {
  cupti.held_by_other = true;
  try {
    make();
    FAIL() << "subscribed twice";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("CUPTI for Kineto"), std::string::npos);
  }
  EXPECT_FALSE(cupti.called("register"));
}

TEST_F(Source, ContinuesWithoutRefusedKindsAndReportsOnce) {
  cupti.refused = {CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_STREAM};
  const auto source = make();
  source->window_closed();
  source->window_opens();
  ASSERT_EQ(complaints.size(), 2u);
  EXPECT_EQ(complaints[0], "CUPTI cannot record streams: CUPTI_FAKE_ERROR (" +
                               std::to_string(CUPTI_ERROR_NOT_COMPATIBLE) + ")");
  EXPECT_NE(complaints[1].find("memsets"), std::string::npos);
  EXPECT_TRUE(cupti.called("enable " + std::to_string(CUPTI_ACTIVITY_KIND_RUNTIME)));
  const store::Profile p = drained(*source);
  ASSERT_EQ(p.diagnostics.size(), 2u);
  EXPECT_EQ(p.diagnostics[0].text, complaints[0]);
  EXPECT_EQ(p.diagnostics[0].severity, store::Severity::warning);
}

TEST_F(Source, RecordsGraphsAsAWholeWithinTheWindowWhenAsked) {
  const std::string graphs = std::to_string(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  CuptiSource::Settings settings;
  settings.graphs_as_a_whole = true;
  const auto source = make_waiting(settings);
  EXPECT_FALSE(cupti.called("enable " + graphs));
  source->window_opens();
  EXPECT_TRUE(cupti.called("enable " + graphs));
  EXPECT_TRUE(cupti.called("enable 10")) << "kernels outside of graphs";
  EXPECT_FALSE(cupti.called("disable " + graphs));
  source->window_closed();
  EXPECT_TRUE(cupti.called("disable " + graphs));
}

TEST_F(Source, RecordsNodesWhereGraphsAreRefused) {
  cupti.refused = {CUPTI_ACTIVITY_KIND_GRAPH_TRACE};
  CuptiSource::Settings settings;
  settings.graphs_as_a_whole = true;
  make_waiting(settings)->window_opens();
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_NE(complaints[0].find("recorded individually instead"), std::string::npos);
}

TEST_F(Source, KeepsStreamsCreatedBeforeTheFile) {
  const auto source = make();
  CUpti_ActivityStream stream{};
  stream.kind = CUPTI_ACTIVITY_KIND_STREAM;
  stream.streamId = 13;
  append(cupti.pending, stream);
  cupti.deliver();
  EXPECT_FALSE(source->has_events());
  append(cupti.pending, test::kernel_record());
  cupti.deliver();
  EXPECT_TRUE(source->has_events());
  const store::Profile p = drained(*source);
  ASSERT_EQ(p.streams.size(), 1u);
  EXPECT_EQ(p.streams[0].stream_id, 13);
}

TEST_F(Source, QueriesCreateNoFileButTheirDeviceIsKept) {
  const auto source = make();
  CUpti_ActivityDevice5 device{};
  device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  device.name = "NVIDIA H200";
  device.isCudaVisible = 1;
  append(cupti.pending, device);
  append(cupti.pending, test::api_record(CUPTI_ACTIVITY_KIND_RUNTIME, 2));
  cupti.deliver();
  EXPECT_FALSE(source->has_events());

  append(cupti.pending, test::api_record(CUPTI_ACTIVITY_KIND_RUNTIME, 1));  // a launch
  cupti.deliver();
  EXPECT_TRUE(source->has_events());
  append(cupti.pending, test::kernel_record());
  cupti.deliver();
  const store::Profile p = drained(*source);
  EXPECT_EQ(p.gpus.size(), 1u);
  EXPECT_EQ(p.kernels.size(), 1u);
  ASSERT_EQ(p.api_calls.size(), 1u);
  EXPECT_EQ(p.api_calls[0].correlation_id, p.kernels[0].correlation_id);
}

TEST_F(Source, FlushesByItselfAndAtTheEnd) {
  const auto source = make();
  append(cupti.pending, test::kernel_record());
  for (int i = 0; i < 300 && !source->has_events(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(source->has_events());
  EXPECT_TRUE(cupti.called("flush 0"));
  append(cupti.pending, test::kernel_record());
  source->stop();
  EXPECT_EQ(drained(*source).kernels.size(), 2u);
}

TEST_F(Source, YieldsWithinABufferToWaitingThreads) {
  const auto source = make();
  constexpr std::size_t kRecords = 2000;
  for (std::size_t i = 0; i < kRecords; ++i) append(cupti.pending, test::kernel_record());
  cupti.deliver();
  {
    store::ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
    const std::atomic<int> somebody_waits = 1;
    int turns = 1;
    while (source->drain(writer, somebody_waits)) ++turns;
    EXPECT_GT(turns, 2);
    writer.finish(store::RecordingState::complete);
  }
  EXPECT_EQ(store::load_profile(scratch / "a.sqlite").kernels.size(), kRecords);
}

TEST_F(Source, CountsWhatCuptiDropped) {
  const auto source = make();
  append(cupti.pending, test::kernel_record());
  cupti.dropped = 7;
  cupti.deliver();
  CUpti_ActivityKernel10 lost = test::kernel_record();
  lost.start = lost.end = 0;
  append(cupti.pending, lost);
  cupti.deliver();
  const store::Profile p = drained(*source);
  EXPECT_EQ(p.kernels.size(), 1u);
  EXPECT_EQ(p.session.dropped_events, 8);
  ASSERT_EQ(p.diagnostics.size(), 1u);
  EXPECT_EQ(p.diagnostics[0].severity, store::Severity::warning);
  EXPECT_EQ(complaints.size(), 1u);
}

TEST_F(Source, TracesNothingOutsideOfTheWindow) {
  const auto source = make_waiting();
  const std::string kernels = std::to_string(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  EXPECT_TRUE(cupti.called("subscribe Mansard"));
  for (const auto kind :
       {CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_STREAM}) {
    EXPECT_TRUE(cupti.called("enable " + std::to_string(kind))) << kind;
  }
  EXPECT_FALSE(cupti.called("enable " + kernels));
  EXPECT_TRUE(cupti.enabled_driver.empty());
  source->window_opens();
  EXPECT_TRUE(cupti.called("enable " + kernels));
  EXPECT_FALSE(cupti.enabled_driver.empty());
  source->window_closed();
  for (const auto kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME,
        CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_OVERHEAD,
        CUPTI_ACTIVITY_KIND_MEMORY2, CUPTI_ACTIVITY_KIND_MEMORY_POOL}) {
    EXPECT_TRUE(cupti.called("disable " + std::to_string(kind))) << kind;
  }
  EXPECT_TRUE(cupti.enabled_driver.empty());
  EXPECT_FALSE(cupti.called("unsubscribe")) << "another window may open";
}

TEST_F(Source, ReportsLaunchesWhileWanted) {
  test::Observer observer;
  CuptiSource::Settings settings;
  settings.launches = &observer;
  const auto source = make_waiting(settings);
  const std::string launch = "callback " + std::to_string(CUPTI_CB_DOMAIN_DRIVER_API) + " " +
                             std::to_string(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  EXPECT_FALSE(cupti.called(launch + " on"));
  source->window_opens();
  EXPECT_FALSE(cupti.called(launch + " on"));
  observer.wants = true;
  source->window_closed();
  EXPECT_TRUE(cupti.called(launch + " on"));
  EXPECT_FALSE(cupti.called(launch + " off"));
  CUpti_CallbackData data{};
  const auto call = [&](CUpti_CallbackId id, CUpti_ApiCallbackSite site) {
    data.callbackSite = site;
    cupti.callback(cupti.callback_data, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  };
  call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER);
  call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT);
  call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_API_EXIT);
  CUresult result = CUDA_SUCCESS;
  data.functionReturnValue = &result;
  call(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, CUPTI_API_ENTER);
  call(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, CUPTI_API_EXIT);
  call(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, CUPTI_API_ENTER);
  call(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, CUPTI_API_EXIT);
  result = CUDA_ERROR_INVALID_VALUE;
  call(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, CUPTI_API_ENTER);
  call(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, CUPTI_API_EXIT);
  CUpti_ResourceData ended{};
  cupti.callback(cupti.callback_data, CUPTI_CB_DOMAIN_RESOURCE,
                 CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &ended);
  observer.wants = false;
  source->window_opens();
  EXPECT_TRUE(cupti.called(launch + " off"));
  source->stop();
  EXPECT_EQ(observer.log, "()[][]x-!");
  EXPECT_LT(cupti.at(launch + " off"), cupti.at("unsubscribe"));
}

TEST_F(Source, UnsubscribesAfterTheLastWindowAndPendingWork) {
  using namespace std::chrono_literals;
  const auto source = make_waiting({.on_profiler_api = {},
                                    .graphs_as_a_whole = false,
                                    .flush_period = 10ms,
                                    .let_go_after = 200ms});
  source->window_opens();
  source->window_closed();
  source->window_is_over();
  EXPECT_FALSE(cupti.called("unsubscribe"));
  append(cupti.pending, test::kernel_record());  // finished after the window's end
  for (int i = 0; i < 500 && !cupti.called("unsubscribe"); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_LT(cupti.at("flush 1"), cupti.at("unsubscribe"));
  EXPECT_EQ(drained(*source).kernels.size(), 1u);
  const std::size_t calls = cupti.calls.size();
  source->window_opens();
  source->stop();
  EXPECT_EQ(cupti.calls.size(), calls) << "CUPTI is called after unsubscribing";
}

TEST_F(Source, FollowsTheProfilerApi) {
  std::string heard;
  const auto source =
      make_waiting({.on_profiler_api = [&](bool start) { heard += start ? "(" : ")"; }});
  const auto call = [&](CUpti_CallbackId id, CUpti_ApiCallbackSite site) {
    CUpti_CallbackData data{};
    data.callbackSite = site;
    cupti.callback(cupti.callback_data, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  };
  EXPECT_TRUE(cupti.called("callback 1 308 on"));  // cuProfilerStart
  EXPECT_TRUE(cupti.called("callback 1 309 on"));
  // The calls themselves are not in the window.
  call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_API_ENTER);
  EXPECT_EQ(heard, "");
  call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_API_EXIT);
  call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, CUPTI_API_ENTER);
  call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, CUPTI_API_EXIT);
  EXPECT_EQ(heard, "()");
}

TEST_F(Source, EnablesNoCallbacksByDefault) {
  make();
  EXPECT_FALSE(cupti.called("callback 1 308 on"));
}

TEST_F(Source, StaysWithinItsMemoryAndCountsLosses) {
  constexpr std::size_t kMemory = 2 << 20;
  const auto source = make_waiting({.on_profiler_api = {}, .memory_bytes = kMemory});
  source->window_opens();
  // Nothing is drained. CUPTI holds a buffer for each thread and requests the next.
  std::size_t held = 0;
  std::size_t lost = 0;
  for (int i = 0; i < 100; ++i) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0;
    std::size_t most = 0;
    cupti.request(&buffer, &size, &most);
    if (buffer == nullptr) {
      ++lost;
      continue;
    }
    held += size;
    const CUpti_ActivityKernel10 record = test::kernel_record();
    std::memcpy(buffer, &record, sizeof record);
    cupti.dropped = std::exchange(lost, 0);
    cupti.complete(nullptr, 0, buffer, size, sizeof record);
  }
  EXPECT_LE(held, kMemory);
  EXPECT_GT(held, kMemory / 2);
  EXPECT_GT(lost, 50u);
  cupti.dropped = lost;
  source->stop();
  const store::Profile p = drained(*source);
  EXPECT_EQ(p.kernels.size() + static_cast<std::size_t>(p.session.dropped_events), 100u);
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_NE(complaints[0].find("--memory-limit"), std::string::npos);
}

TEST(BufferPool, GivesSmallerBuffersBeforeFewer) {
  EXPECT_EQ(BufferPool(256 << 20).buffer_bytes(), 2u << 20);
  EXPECT_EQ(BufferPool(8 << 20).buffer_bytes(), 256u << 10);
}

TEST(BufferPool, IsBoundedAndReusesBuffers) {
  BufferPool pool(1 << 20);
  std::vector<std::uint8_t*> others;
  for (std::size_t i = 2; i < (1 << 20) / pool.buffer_bytes(); ++i)
    others.push_back(pool.request());
  std::uint8_t* first = pool.request();
  std::uint8_t* second = pool.request();
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 8, 0u);
  EXPECT_EQ(pool.request(), nullptr);
  pool.complete(first, 0);  // unused: immediately available again
  EXPECT_EQ(pool.request(), first);
  pool.complete(first, 100);
  pool.complete(second, 50);
  auto completed = pool.take_completed();
  ASSERT_EQ(completed.size(), 2u);
  EXPECT_EQ(completed[0].valid_bytes, 100u);
  EXPECT_EQ(pool.request(), nullptr);
  for (CuptiBuffer& buffer : completed) pool.recycle(std::move(buffer));
  EXPECT_NE(pool.request(), nullptr);
  std::uint8_t* last = pool.request();
  EXPECT_NE(last, nullptr);
  pool.complete(first, 0);
  pool.complete(second, 0);
  for (std::uint8_t* other : others) pool.complete(other, 0);
}

}  // namespace
}  // namespace mansard::collector
