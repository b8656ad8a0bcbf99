// SPDX-License-Identifier: Apache-2.0
// Maps device numbers of rows to GPUs. In an Nsight Systems export, a row has the CUDA device
// number of its process, which depends on CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER, while
// TARGET_INFO_GPU numbers the GPUs of the machine. Rows are mapped to the latter, so that a number
// means the same GPU in all processes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "collector/store/sqlite.h"

namespace mansard::store {

class DeviceIds {
 public:
  // Mansard profiles number GPUs as CUDA does, and need no mapping.
  explicit DeviceIds(Database& database);

  bool has_mapping() const { return !of_any_.empty(); }
  // Returns TARGET_INFO_GPU.id for a device of this process; the number unchanged if the export has
  // no mapping.
  std::int32_t in_process(std::int32_t cuda_id, std::optional<std::int64_t> global_pid);
  std::int32_t of(std::int32_t cuda_id, std::optional<std::int64_t> pid) const;

 private:
  void read_processes(Database& database, const std::map<std::string, std::int32_t>& by_uuid);

  using ProcessDevice = std::pair<std::int64_t, std::int32_t>;  // pid, CUDA's number
  std::map<ProcessDevice, std::int32_t> of_process_;
  // For processes without their own mapping; none: ambiguous.
  std::map<std::int32_t, std::optional<std::int32_t>> of_any_;
  // Cache: the previous row usually has the same device.
  std::optional<std::int64_t> last_process_;
  std::int32_t last_cuda_id_ = -1;
  std::int32_t last_id_ = -1;
};

}  // namespace mansard::store
