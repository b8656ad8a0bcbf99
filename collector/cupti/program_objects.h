// SPDX-License-Identifier: Apache-2.0
// The GPUs, contexts and streams of the program. CUPTI describes each once, when it is created,
// which may be long before a file exists.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cupti.h>

#include "collector/store/profile_writer.h"

namespace mansard::collector {

class CudaObjects {
 public:
  // `on_device` is called once for each GPU on which the program has a context, as soon as CUPTI
  // has described it.
  using OnDevice = std::function<void(const store::GpuRecord& gpu)>;
  explicit CudaObjects(OnDevice on_device = {}) : on_device_(std::move(on_device)) {}

  // Stores the object that the record describes. Ignores other kinds and known objects.
  void note(const CUpti_Activity& record);
  // Notes that work of `context` ran on `device`.
  void note(std::uint32_t context, std::uint32_t device);

  // Writes the objects that have not been written yet.
  void write(store::ProfileWriter& writer);

  // Returns kNoId if unknown.
  std::int32_t device_of(std::uint32_t context) const;

 private:
  void tell_of(std::uint32_t gpu) const;

  const OnDevice on_device_;
  std::vector<store::GpuRecord> gpus_;  // these three are not written yet
  std::vector<store::ContextRecord> contexts_;
  std::vector<store::StreamRecord> streams_;
  std::map<std::uint32_t, store::GpuRecord> known_gpus_;
  std::set<std::uint32_t> used_gpus_;
  std::set<std::uint32_t> known_contexts_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> known_streams_;  // context, stream
  std::unordered_map<std::uint32_t, std::int32_t> devices_;          // by context
  std::uint32_t last_context_ = CUPTI_INVALID_CONTEXT_ID;
};

// GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, as nvidia-smi prints it.
std::string format_uuid(const CUuuid& uuid);

}  // namespace mansard::collector
