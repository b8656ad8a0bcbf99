// SPDX-License-Identifier: Apache-2.0
// Maps threads of a trace to globalTids. Traces identify threads by system thread id, pointer or
// text.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "collector/import/trace_event.h"
#include "collector/store/global_ids.h"

namespace mansard::collector {

class HostThreads {
 public:
  std::int64_t of(const TraceEvent& event) {
    const TraceId& thread = event.thread ? TraceId{event.thread, ""} : event.tid;
    const std::int64_t tid =
        store::global_tid(number_of(event.pid, processes_), number_of(thread, threads_));
    seen_.insert(tid);
    return tid;
  }

  // Whether the thread had events. Metadata events name streams in the same way as threads.
  bool has(std::int64_t tid) const { return seen_.contains(tid); }
  std::size_t processes() const {
    std::set<std::int64_t> processes;
    for (const std::int64_t tid : seen_) processes.insert(store::process_key(tid));
    return processes.size();
  }

  // Stores a thread's name, until it is known whether this is a thread.
  void name(const TraceEvent& event) {
    constexpr std::size_t kMax = 100'000;
    if (names_.size() < kMax) {
      names_[store::global_tid(number_of(event.pid, processes_), number_of(event.tid, threads_))] =
          event.label;
    }
  }
  const std::map<std::int64_t, std::string>& names() const { return names_; }

 private:
  using Others = std::map<std::pair<std::int64_t, std::string>, std::int64_t>;

  // Linux thread ids have 22 bits; other identifiers get larger numbers.
  static std::int64_t number_of(const TraceId& id, Others& others) {
    constexpr std::int64_t kLinuxNumbers = std::int64_t{1} << 22;
    if (id.number && *id.number >= 0 && *id.number < kLinuxNumbers) return *id.number;
    const auto next = kLinuxNumbers + static_cast<std::int64_t>(others.size());
    return others.try_emplace({id.number.value_or(0), id.text}, next).first->second;
  }

  Others processes_;
  Others threads_;
  std::set<std::int64_t> seen_;
  std::map<std::int64_t, std::string> names_;
};

}  // namespace mansard::collector
