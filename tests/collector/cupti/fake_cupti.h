// SPDX-License-Identifier: Apache-2.0
// Fake CUPTI functions that record their calls.
#pragma once

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "collector/cupti/cupti_api.h"

namespace mansard::test {

// One fake CUPTI at a time, as with the real one.
struct FakeCupti {
  std::vector<std::string> calls;
  std::mutex mutex;
  bool held_by_other = false;
  std::set<CUpti_ActivityKind> refused;
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
  // Index of the first such call, or the number of calls if there is none.
  std::size_t at(const std::string& call) {
    const std::lock_guard lock(mutex);
    return static_cast<std::size_t>(std::find(calls.begin(), calls.end(), call) - calls.begin());
  }
  bool called(const std::string& call) {
    const std::lock_guard lock(mutex);
    return std::find(calls.begin(), calls.end(), call) != calls.end();
  }

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

inline FakeCupti* fake = nullptr;

inline std::size_t record_size(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return sizeof(CUpti_ActivityDevice5);
    case CUPTI_ACTIVITY_KIND_STREAM:
      return sizeof(CUpti_ActivityStream);
    default:
      return sizeof(CUpti_ActivityAPI);
  }
}

inline CUptiResult fake_next(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
  std::uint8_t* next =
      *record == nullptr ? buffer
                         : reinterpret_cast<std::uint8_t*>(*record) + record_size((*record)->kind);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

inline CUptiResult fake_name(CUpti_CallbackDomain domain, std::uint32_t id, const char** name) {
  static const char* const runtime[] = {nullptr, "cudaLaunchKernel_v7000", "cudaMalloc_v3020",
                                        "cudaGetLastError_v3020"};
  static const char* const driver[] = {nullptr, "cuLaunchKernel", "cuCtxGetCurrent",
                                       "cuGraphLaunch"};
  if (id > 3) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? runtime[id] : driver[id];
  return CUPTI_SUCCESS;
}

inline collector::CuptiApi fake_api() {
  collector::CuptiApi api;
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
    return fake->refused.contains(kind) ? CUPTI_ERROR_NOT_COMPATIBLE : CUPTI_SUCCESS;
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
  api.enable_all_sync_records = [](std::uint8_t on) {
    fake->note("all sync records " + std::to_string(on));
    return CUPTI_SUCCESS;
  };
  api.flush_all = [](std::uint32_t flag) {
    fake->note("flush " + std::to_string(flag));
    fake->deliver();
    return CUPTI_SUCCESS;
  };
  api.flush_period = [](std::uint32_t) { return CUPTI_SUCCESS; };
  api.get_next_record = fake_next;
  api.get_graph_node_id = [](CUgraphNode node, std::uint64_t* id) {
    *id = reinterpret_cast<std::uintptr_t>(node);
    return node != nullptr ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
  };
  api.get_num_dropped_records = [](CUcontext, std::uint32_t, std::size_t* dropped) {
    *dropped = std::exchange(fake->dropped, 0);
    return CUPTI_SUCCESS;
  };
  return api;
}

}  // namespace mansard::test
