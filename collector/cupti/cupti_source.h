// SPDX-License-Identifier: Apache-2.0
// GPU work of this process, from CUPTI's activity records into the store.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "collector/cupti/activity_translator.h"
#include "collector/cupti/buffer_pool.h"
#include "collector/cupti/cupti_api.h"
#include "collector/store/writer_thread.h"

namespace mansard {

// One at a time in a process, as CUPTI allows one subscriber; its callbacks carry no user pointer.
class CuptiSource : public EventSource {
 public:
  using Complain = std::function<void(const std::string&)>;

  // Subscribes and enables. Throws std::runtime_error: another tool holds CUPTI, whose name the
  // message gives, or CUPTI refuses.
  CuptiSource(const CuptiApi& api, std::int64_t session_start_ns, Complain complain);
  ~CuptiSource() override;

  // At exit, before the driver ends: brings in what the GPU still holds. Only the first call
  // counts.
  void stop();

  bool has_events() override;
  bool drain(ProfileWriter& writer) override;
  void close() override {}  // stop() came before
  void discard() override;

 private:
  void subscribe();
  void enable();
  void enable_calls();
  void flush_periodically();
  void check(CUptiResult result, const std::string& attempted) const;
  template <class Visit>
  void visit(const CuptiBuffer& buffer, Visit visit);
  void report_lost(ProfileWriter& writer);

  static void CUPTIAPI on_buffer_requested(std::uint8_t** buffer, std::size_t* size,
                                           std::size_t* most_records);
  static void CUPTIAPI on_buffer_completed(CUcontext context, std::uint32_t stream,
                                           std::uint8_t* buffer, std::size_t size,
                                           std::size_t valid_size);

  static std::atomic<CuptiSource*> active_;

  const CuptiApi api_;
  const std::int64_t session_start_ns_;
  const Complain complain_;
  BufferPool pool_;
  std::atomic<std::size_t> dropped_ = 0;
  CUpti_SubscriberHandle subscriber_ = nullptr;

  std::mutex mutex_;  // guards stopping_
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread flusher_;

  // Used by the writer only.
  ActivityTranslator translator_;
  std::deque<CuptiBuffer> waiting_;
  std::int64_t reported_lost_ = 0;
};

}  // namespace mansard
