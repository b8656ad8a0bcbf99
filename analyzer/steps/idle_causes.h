// SPDX-License-Identifier: Apache-2.0
// Why a device waits for its next activity: what the thread that launched it did meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/steps/call_kinds.h"

namespace mansard::analysis {

enum class IdleCause : std::uint8_t {
  between_kernels,  // launched already when the device became idle: the device's own change-over
  launching,        // from the call that launches to the start on the device, and in such calls
  synchronization,  // the launching thread had waited for the device and came to launch too late
  host_code,        // the launching thread ran code of the program
  data_loading,     // the same, in a range that says so
  cuda_calls,       // in other CUDA calls: allocation, loading of modules, copies to the host
  not_known,        // no call was recorded
};
inline constexpr std::size_t kIdleCauses = 7;

struct IdleCauseInfo {
  IdleCause id;
  std::string_view key;    // in JSON
  std::string_view label;  // for people
  std::string_view description;
};
const std::array<IdleCauseInfo, kIdleCauses>& idle_cause_infos();

using IdleTimes = std::array<std::int64_t, kIdleCauses>;  // ns by cause

class IdleCauses {
 public:
  explicit IdleCauses(const store::Profile& profile);

  // Divides the idle time from `start_ns` to `end_ns` that `launched`, the call of the activity
  // that then begins, ended: adds to `times` exactly end - start. None: not known.
  void add(std::int64_t start_ns, std::int64_t end_ns,
           const std::optional<store::ApiRecord>& launched, IdleTimes& times) const;

 private:
  struct Call {
    std::int64_t start_ns;
    std::int64_t end_ns;
    CallKind kind;
  };
  struct Thread {
    std::vector<Call> calls;                                     // outermost ones, by start
    std::vector<std::pair<std::int64_t, std::int64_t>> loading;  // ranges, by start
  };

  std::unordered_map<std::int64_t, Thread> threads_;
};

}  // namespace mansard::analysis
