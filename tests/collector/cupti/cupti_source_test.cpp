// SPDX-License-Identifier: Apache-2.0
// The order of calls to CUPTI, and what becomes of its buffers, with functions of our own in its
// place.
#include "collector/cupti/cupti_source.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/collector/cupti/fake_records.h"
#include "tests/collector/sample.h"
#include "tests/collector/scratch.h"

namespace mansard {
namespace {

using test::append;

// One fake CUPTI at a time, as with the real one.
struct FakeCupti {
  std::vector<std::string> calls;
  std::mutex mutex;
  bool held_by_other = false;
  bool refuses_memset = false;
  std::size_t dropped = 0;
  CUpti_CallbackFunc callback = nullptr;
  void* callback_data = nullptr;
  std::vector<CUpti_CallbackId> silenced_runtime;
  std::vector<CUpti_CallbackId> enabled_driver;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::vector<std::uint8_t> pending;  // delivered by the next flush

  void note(const std::string& call) {
    const std::lock_guard lock(mutex);
    calls.push_back(call);
  }
  // Position of the first such call; the number of calls if there is none.
  std::size_t at(const std::string& call) {
    const std::lock_guard lock(mutex);
    return static_cast<std::size_t>(std::find(calls.begin(), calls.end(), call) - calls.begin());
  }
  bool called(const std::string& call) { return at(call) < calls.size(); }

  void deliver() {
    std::vector<std::uint8_t> bytes;
    {
      const std::lock_guard lock(mutex);
      bytes.swap(pending);
    }
    if (bytes.empty()) return;
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0;
    std::size_t most = 1;
    request(&buffer, &size, &most);
    if (buffer == nullptr) return;
    ASSERT_GE(size, bytes.size());
    ASSERT_EQ(most, 0u);
    std::memcpy(buffer, bytes.data(), bytes.size());
    complete(nullptr, 0, buffer, size, bytes.size());
  }
};

FakeCupti* fake = nullptr;

std::size_t record_size(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return sizeof(CUpti_ActivityDevice5);
    default:
      return sizeof(CUpti_ActivityAPI);
  }
}

CUptiResult fake_next(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
  std::uint8_t* next =
      *record == nullptr ? buffer
                         : reinterpret_cast<std::uint8_t*>(*record) + record_size((*record)->kind);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult fake_name(CUpti_CallbackDomain domain, std::uint32_t id, const char** name) {
  static const char* const runtime[] = {nullptr, "cudaLaunchKernel_v7000", "cudaMalloc_v3020",
                                        "cudaGetLastError_v3020"};
  static const char* const driver[] = {nullptr, "cuLaunchKernel", "cuCtxGetCurrent",
                                       "cuGraphLaunch"};
  if (id > 3) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? runtime[id] : driver[id];
  return CUPTI_SUCCESS;
}

CuptiApi fake_api() {
  CuptiApi api;
  api.get_result_string = [](CUptiResult, const char** text) {
    *text = "CUPTI_FAKE_ERROR";
    return CUPTI_SUCCESS;
  };
  api.get_callback_name = fake_name;
  api.subscribe = [](CUpti_SubscriberHandle*, CUpti_CallbackFunc function, void* data,
                     CUpti_SubscriberParams* p) {
    fake->callback = function;
    fake->callback_data = data;
    fake->note("subscribe " + std::string(p->subscriberName));
    if (!fake->held_by_other) return CUPTI_SUCCESS;
    std::strncpy(p->oldSubscriberName, "CUPTI for Kineto", p->oldSubscriberSize);
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  };
  api.unsubscribe = [](CUpti_SubscriberHandle) {
    fake->note("unsubscribe");
    return CUPTI_SUCCESS;
  };
  api.set_thread_id_type = [](CUpti_ActivityThreadIdType type) {
    fake->note("thread ids " + std::to_string(type));
    return CUPTI_SUCCESS;
  };
  api.register_callbacks = [](CUpti_BuffersCallbackRequestFunc request,
                              CUpti_BuffersCallbackCompleteFunc complete) {
    fake->note("register");
    fake->request = request;
    fake->complete = complete;
    return CUPTI_SUCCESS;
  };
  api.enable = [](CUpti_ActivityKind kind) {
    fake->note("enable " + std::to_string(kind));
    const bool refused = kind == CUPTI_ACTIVITY_KIND_MEMSET && fake->refuses_memset;
    return refused ? CUPTI_ERROR_NOT_COMPATIBLE : CUPTI_SUCCESS;
  };
  api.disable = [](CUpti_ActivityKind kind) {
    fake->note("disable " + std::to_string(kind));
    return CUPTI_SUCCESS;
  };
  api.enable_callback = [](std::uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                           CUpti_CallbackId id) {
    fake->note("callback " + std::to_string(domain) + " " + std::to_string(id) +
               (on != 0 ? " on" : " off"));
    return CUPTI_SUCCESS;
  };
  api.get_device_id = [](CUcontext context, std::uint32_t* id) {
    *id = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(context));
    return CUPTI_SUCCESS;
  };
  api.enable_runtime_api = [](CUpti_CallbackId id, std::uint8_t on) {
    if (on == 0) fake->silenced_runtime.push_back(id);
    return CUPTI_SUCCESS;
  };
  api.enable_driver_api = [](CUpti_CallbackId id, std::uint8_t on) {
    if (on != 0) {
      fake->enabled_driver.push_back(id);
    } else {
      std::erase(fake->enabled_driver, id);
    }
    return CUPTI_SUCCESS;
  };
  api.flush_all = [](std::uint32_t flag) {
    fake->note("flush " + std::to_string(flag));
    fake->deliver();
    return CUPTI_SUCCESS;
  };
  api.flush_period = [](std::uint32_t) { return CUPTI_SUCCESS; };
  api.get_next_record = fake_next;
  api.get_num_dropped_records = [](CUcontext, std::uint32_t, std::size_t* dropped) {
    *dropped = std::exchange(fake->dropped, 0);
    return CUPTI_SUCCESS;
  };
  return api;
}

class Source : public testing::Test {
 protected:
  Source() { fake = &cupti; }
  ~Source() override { fake = nullptr; }

  std::unique_ptr<CuptiSource> make_waiting(CuptiSource::Settings settings = {}) {
    return std::make_unique<CuptiSource>(
        fake_api(), static_cast<std::int64_t>(test::kSessionStart_ns),
        [this](const std::string& s) { complaints.push_back(s); }, std::move(settings));
  }
  std::unique_ptr<CuptiSource> make() {
    auto source = make_waiting();
    source->window_opens();
    return source;
  }
  Profile drained(CuptiSource& source) {
    {
      ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
      while (source.drain(writer, nobody_waits)) continue;
      writer.finish(RecordingState::complete);
    }
    return load_profile(scratch / "a.sqlite");
  }

  test::Scratch scratch;
  const std::atomic<int> nobody_waits = 0;
  FakeCupti cupti;
  std::vector<std::string> complaints;
};

TEST_F(Source, CallsCuptiInItsOrder) {
  make()->stop();
  EXPECT_EQ(cupti.at("subscribe Mansard"), 0u);
  EXPECT_LT(cupti.at("thread ids 1"), cupti.at("enable 10"));  // by system thread id
  EXPECT_LT(cupti.at("register"), cupti.at("enable 10"));
  for (const auto kind :
       {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET,
        CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DEVICE}) {
    EXPECT_TRUE(cupti.called("enable " + std::to_string(kind))) << kind;
  }
  EXPECT_FALSE(cupti.called("enable " + std::to_string(CUPTI_ACTIVITY_KIND_DRIVER)));
  EXPECT_LT(cupti.at("flush 1"), cupti.at("unsubscribe"));  // forced, before letting go
}

TEST_F(Source, ChoosesTheCallsToTrace) {
  make();
  EXPECT_EQ(cupti.silenced_runtime, (std::vector<CUpti_CallbackId>{3}));
  EXPECT_EQ(cupti.enabled_driver, (std::vector<CUpti_CallbackId>{1, 3}));
}

TEST_F(Source, NamesTheToolThatHoldsCupti) {
  cupti.held_by_other = true;
  try {
    make();
    FAIL() << "subscribed twice";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("CUPTI for Kineto"), std::string::npos);
  }
  EXPECT_FALSE(cupti.called("register"));
}

TEST_F(Source, GoesOnWithoutAKindThatIsRefused) {
  cupti.refuses_memset = true;
  make();
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_NE(complaints[0].find("CUPTI_FAKE_ERROR"), std::string::npos);
  EXPECT_TRUE(cupti.called("enable " + std::to_string(CUPTI_ACTIVITY_KIND_RUNTIME)));
}

TEST_F(Source, QuestionsAloneAreNotWorthAFileButTheirDeviceIsKept) {
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
  const Profile p = drained(*source);
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

TEST_F(Source, LetsGoAmidABufferForWhoWaits) {
  const auto source = make();
  constexpr std::size_t kRecords = 2000;
  for (std::size_t i = 0; i < kRecords; ++i) append(cupti.pending, test::kernel_record());
  cupti.deliver();
  {
    ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
    const std::atomic<int> somebody_waits = 1;
    int turns = 1;
    while (source->drain(writer, somebody_waits)) ++turns;
    EXPECT_GT(turns, 2);
    writer.finish(RecordingState::complete);
  }
  EXPECT_EQ(load_profile(scratch / "a.sqlite").kernels.size(), kRecords);
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
  const Profile p = drained(*source);
  EXPECT_EQ(p.kernels.size(), 1u);
  EXPECT_EQ(p.session.dropped_events, 8);
  ASSERT_EQ(p.diagnostics.size(), 1u);
  EXPECT_EQ(p.diagnostics[0].severity, Severity::warning);
  EXPECT_EQ(complaints.size(), 1u);
}

TEST_F(Source, TracesNothingOutsideOfTheWindow) {
  const auto source = make_waiting();
  const std::string kernels = std::to_string(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  EXPECT_TRUE(cupti.called("subscribe Mansard"));
  EXPECT_TRUE(cupti.called("enable " + std::to_string(CUPTI_ACTIVITY_KIND_DEVICE)));
  EXPECT_FALSE(cupti.called("enable " + kernels));
  EXPECT_TRUE(cupti.enabled_driver.empty());
  source->window_opens();
  EXPECT_TRUE(cupti.called("enable " + kernels));
  EXPECT_FALSE(cupti.enabled_driver.empty());
  source->window_closed();
  for (const auto kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME}) {
    EXPECT_TRUE(cupti.called("disable " + std::to_string(kind))) << kind;
  }
  EXPECT_TRUE(cupti.enabled_driver.empty());
  EXPECT_FALSE(cupti.called("unsubscribe")) << "another window may open";
}

TEST_F(Source, LetsCuptiGoAfterTheLastWindowAndTheWorkInFlight) {
  using namespace std::chrono_literals;
  const auto source =
      make_waiting({.on_profiler_api = {}, .flush_period = 10ms, .let_go_after = 200ms});
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
  EXPECT_EQ(cupti.calls.size(), calls) << "CUPTI is called after it was let go";
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
  // Neither call itself is in the window.
  call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_API_ENTER);
  EXPECT_EQ(heard, "");
  call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_API_EXIT);
  call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, CUPTI_API_ENTER);
  call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, CUPTI_API_EXIT);
  EXPECT_EQ(heard, "()");
}

TEST_F(Source, TellsTheGpuOfAContextBeforeAnyWindow) {
  std::vector<std::int32_t> told;
  const auto source = make_waiting(
      {.on_profiler_api = {}, .on_device = [&](const GpuRecord& gpu) { told.push_back(gpu.id); }});
  EXPECT_TRUE(cupti.called("callback 3 1 on"));  // a context is created
  for (const std::uint32_t id : {0u, 1u}) append(cupti.pending, test::device_record(id));
  cupti.deliver();
  EXPECT_FALSE(source->has_events());
  EXPECT_TRUE(told.empty());
  CUpti_ResourceData created{};
  created.context = reinterpret_cast<CUcontext>(1);  // fake_api(): the device's number
  cupti.callback(cupti.callback_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED,
                 &created);
  EXPECT_FALSE(source->has_events()) << "a context alone is not worth a file";
  EXPECT_EQ(told, (std::vector<std::int32_t>{1}));
}

TEST_F(Source, WatchesNoCallsUnlessAsked) {
  make();
  EXPECT_FALSE(cupti.called("callback 1 308 on"));
  EXPECT_FALSE(cupti.called("callback 3 1 on"));
}

TEST_F(Source, StaysWithinItsMemoryAndCountsWhatIsLost) {
  constexpr std::size_t kMemory = 2 << 20;
  const auto source = make_waiting({.on_profiler_api = {}, .memory_bytes = kMemory});
  source->window_opens();
  // Nobody drains. CUPTI itself holds a buffer for each thread and asks for the next.
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
  const Profile p = drained(*source);
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
  pool.complete(first, 0);  // unused: spare at once
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
}  // namespace mansard
