// SPDX-License-Identifier: Apache-2.0
// Translates CUPTI activity records to rows of a profile.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>

#include <cupti.h>

#include "collector/cupti/launch_observer.h"
#include "collector/cupti/program_objects.h"
#include "collector/store/profile_writer.h"

namespace mansard::collector {

class ActivityTranslator {
 public:
  // Returns the name of an API function.
  using NameOf = std::function<std::string(CUpti_CallbackDomain domain, CUpti_CallbackId id)>;
  // Whether work with this correlation id is not recorded.
  using IsOutside = std::function<bool(std::uint32_t correlation_id)>;
  // `launches` (may be null) is asked whether work has no timestamps because its counters were
  // read, and notified of kernels.
  ActivityTranslator(std::int64_t session_start_ns, NameOf name_of,
                     CudaObjects::OnDevice on_device = {}, LaunchObserver* launches = nullptr,
                     IsOutside is_outside = {});

  // Whether this record justifies a file: GPU work, not merely a query.
  bool is_work(const CUpti_Activity& record);

  // Handles devices, contexts and streams only; kept until the first translate().
  void note(const CUpti_Activity& record) { objects_.note(record); }

  // Ignores kinds that are not recorded.
  void translate(const CUpti_Activity& record, store::ProfileWriter& writer);

  // Number of records whose timestamps CUPTI has lost (start = end = 0); they are not stored.
  std::int64_t without_times() const { return without_times_; }

 private:
  struct KernelNames {
    store::StringId mangled = 0;
    store::StringId demangled = 0;
    store::StringId short_name = 0;
  };
  struct ApiName {
    std::string text;
    store::StringId id = 0;
    bool is_work = false;
  };

  void kernel(const CUpti_ActivityKernel10& record, store::ProfileWriter& writer);
  template <class Copy>
  void copy(const Copy& record, store::ProfileWriter& writer);
  void fill(const CUpti_ActivityMemset4& record, store::ProfileWriter& writer);
  void api(const CUpti_ActivityAPI& record, store::ProfileWriter& writer);
  void graph(const CUpti_ActivityGraphTrace2& record, store::ProfileWriter& writer);
  void synchronization(const CUpti_ActivitySynchronization2& record, store::ProfileWriter& writer);
  void overhead(const CUpti_ActivityOverhead3& record, store::ProfileWriter& writer);
  void memory(const CUpti_ActivityMemory4& record, store::ProfileWriter& writer);
  void memory_pool(const CUpti_ActivityMemoryPool3& record, store::ProfileWriter& writer);
  KernelNames names(const char* mangled, store::ProfileWriter& writer);
  ApiName& api_name(const CUpti_ActivityAPI& record);

  template <class Record, class Out>
  bool common(const Record& record, Out& out);
  // Fills start_ns and end_ns of `out`. Returns false if CUPTI has no timestamps, and counts that.
  template <class Record, class Out>
  bool times(const Record& record, Out& out) {
    if (place(record, out)) return true;
    if (launches_ == nullptr || !launches_->was_read(record.correlationId)) ++without_times_;
    return false;
  }
  // Like times(), for records that are not GPU work; missing timestamps are not counted.
  template <class Record, class Out>
  bool place(const Record& record, Out& out) const {
    if (record.start == 0 || record.end == 0) return false;
    out.start_ns = since_start(record.start);
    out.end_ns = since_start(record.end);
    return true;
  }
  std::int64_t since_start(std::uint64_t utc_ns) const {
    return static_cast<std::int64_t>(utc_ns) - session_start_ns_;
  }

  const std::int64_t session_start_ns_;
  const NameOf name_of_;
  LaunchObserver* const launches_;
  const IsOutside is_outside_;
  std::int64_t without_times_ = 0;
  bool graph_seen_ = false;
  CudaObjects objects_;
  std::unordered_map<std::string, KernelNames> kernel_names_;
  std::map<std::pair<int, CUpti_CallbackId>, ApiName> api_names_;
};

// Selects the driver API calls that are recorded, and the runtime API calls that are not. All GPU
// work gets the API call and thread that submitted it; pure queries are skipped.
bool is_work_call(std::string_view name);
bool is_noise_call(std::string_view name);

}  // namespace mansard::collector
