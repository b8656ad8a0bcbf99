// SPDX-License-Identifier: Apache-2.0
// CUPTI's records as rows of the store.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include <cupti.h>

#include "collector/store/profile_writer.h"

namespace mansard {

class ActivityTranslator {
 public:
  // The name of an API function.
  using NameOf = std::function<std::string(CUpti_CallbackDomain domain, CUpti_CallbackId id)>;

  using OnDevice = std::function<void(const GpuRecord& gpu)>;

  // `on_device` is called once for each GPU that is used and of which there is a record.
  ActivityTranslator(std::int64_t session_start_ns, NameOf name_of, OnDevice on_device = {});

  // The program has a context on this GPU.
  void use_device(std::int32_t id);

  // Whether this record is worth a file: work for a GPU, and not merely a question about one.
  bool is_work(const CUpti_Activity& record);

  // Device records only: kept until the first translate().
  void note(const CUpti_Activity& record);

  // Kinds that are not recorded are passed over.
  void translate(const CUpti_Activity& record, ProfileWriter& writer);

  // Work whose times CUPTI has lost (start = end = 0); it is not in the store.
  std::int64_t without_times() const { return without_times_; }

 private:
  struct KernelNames {
    StringId mangled = 0;
    StringId demangled = 0;
    StringId short_name = 0;
  };
  struct ApiName {
    std::string text;
    StringId id = 0;
    bool is_work = false;
  };

  void kernel(const CUpti_ActivityKernel10& record, ProfileWriter& writer);
  template <class Copy>
  void copy(const Copy& record, ProfileWriter& writer);
  void fill(const CUpti_ActivityMemset4& record, ProfileWriter& writer);
  void api(const CUpti_ActivityAPI& record, ProfileWriter& writer);
  void write_devices(ProfileWriter& writer);
  void tell_device(std::int32_t id);
  KernelNames names(const char* mangled, ProfileWriter& writer);
  ApiName& api_name(const CUpti_ActivityAPI& record);

  template <class Record, class Out>
  bool common(const Record& record, Out& out);
  // Fills start_ns and end_ns of `out`; false if CUPTI has none.
  template <class Record, class Out>
  bool times(const Record& record, Out& out);

  const std::int64_t session_start_ns_;
  const NameOf name_of_;
  const OnDevice on_device_;
  std::int64_t without_times_ = 0;
  std::map<std::int32_t, GpuRecord> devices_;  // not written yet
  std::map<std::int32_t, GpuRecord> known_devices_;
  std::set<std::int32_t> used_devices_;
  std::int32_t last_used_ = -1;
  std::unordered_map<std::string, KernelNames> kernel_names_;
  std::map<std::pair<int, CUpti_CallbackId>, ApiName> api_names_;
};

// GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, as nvidia-smi prints it.
std::string format_uuid(const CUuuid& uuid);

// Which calls of the driver are recorded, and which of the runtime are not: enough for every piece
// of GPU work to have the call, and the thread, that it came from; without calls that only ask.
bool is_work_call(std::string_view name);
bool is_noise_call(std::string_view name);

}  // namespace mansard
