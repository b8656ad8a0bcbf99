// SPDX-License-Identifier: Apache-2.0
// Which GPU a row means. In an export of Nsight Systems a row has the number that CUDA gave the
// device in its process, which CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER change, while
// TARGET_INFO_GPU numbers the machine's GPUs: rows are brought to the latter, so that one number is
// one GPU, whichever process used it.
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
  // Of a recording of ours, which numbers GPUs as CUDA does, every number stays as it is.
  explicit DeviceIds(Database& database);

  // TARGET_INFO_GPU.id of the device in column `device` of a row whose column `process` holds a
  // globalPid. The number as it stands where the export does not tell.
  std::int32_t read(const Statement& row, int device, int process);
  std::int32_t of(std::int32_t cuda_id, std::optional<std::int64_t> pid) const;

 private:
  void read_processes(Database& database, const std::map<std::string, std::int32_t>& by_uuid);

  using ProcessDevice = std::pair<std::int64_t, std::int32_t>;  // pid, CUDA's number
  std::map<ProcessDevice, std::int32_t> of_process_;
  // Where a process tells nothing of its own; none: it could be several.
  std::map<std::int32_t, std::optional<std::int32_t>> of_any_;
  // The row before is mostly alike.
  std::int64_t last_process_ = -1;
  std::int32_t last_cuda_id_ = -1;
  std::int32_t last_id_ = -1;
};

}  // namespace mansard::store
