// SPDX-License-Identifier: Apache-2.0
// Causes of device idle time, from the activity of the thread that launched the next kernel.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/steps/call_kinds.h"

namespace mansard::analysis {

enum class IdleCause : std::uint8_t {
  between_kernels,  // kernel-to-kernel gap: the next kernel was already queued
  launching,        // in launch API calls, or from such a call to the start on the device
  synchronization,  // the launching thread waited for the device, then launched to an idle device
  host_code,        // the launching thread ran program code
  data_loading,     // likewise, in a range named after data loading
  cuda_calls,       // in other API calls: allocation, module loading, copies to the host
  unknown,          // the launching API call was not recorded
};
inline constexpr std::size_t kIdleCauses = 7;

struct IdleCauseInfo {
  IdleCause id;
  std::string_view key;    // in JSON
  std::string_view label;  // for display
  std::string_view description;
  std::string_view remedy;  // what to do about it, in one sentence
};
const std::array<IdleCauseInfo, kIdleCauses>& idle_cause_infos();

using IdleTimes = std::array<std::int64_t, kIdleCauses>;  // ns by cause

class IdleCauses {
 public:
  explicit IdleCauses(const store::Profile& profile);

  // Splits the idle time from `start_ns` to `end_ns` by cause and adds it to `times`; the sum is
  // exactly end - start. `launched`: API call of the activity that starts at `end_ns`; empty:
  // unknown.
  void add(std::int64_t start_ns, std::int64_t end_ns,
           const std::optional<store::ApiRecord>& launched, IdleTimes& times) const;

 private:
  struct Call {
    std::int64_t start_ns;
    std::int64_t end_ns;
    CallKind kind;
  };
  struct Thread {
    std::vector<Call> calls;                                     // outermost calls, by start
    std::vector<std::pair<std::int64_t, std::int64_t>> loading;  // ranges, by start
  };

  std::unordered_map<std::int64_t, Thread> threads_;
};

}  // namespace mansard::analysis
