// SPDX-License-Identifier: Apache-2.0
#include "collector/store/device_ids.h"

#include "collector/store/global_ids.h"
#include "collector/store/row_reader.h"
#include "collector/store/tables.h"

namespace mansard::store {
namespace {

// A number that would mean two GPUs maps to none.
void add(std::map<std::int32_t, std::optional<std::int32_t>>& ids, std::int32_t cuda_id,
         std::int32_t id) {
  const auto [at, is_new] = ids.try_emplace(cuda_id, id);
  if (!is_new && at->second != id) at->second.reset();
}

}  // namespace

DeviceIds::DeviceIds(Database& database) {
  if (database.has_table("MANSARD_STATE")) return;
  std::map<std::string, std::int32_t> by_uuid;
  std::map<std::int32_t, std::optional<std::int32_t>> by_column;
  Statement gpu = select(database, "TARGET_INFO_GPU", {"id", "uuid", "cuDevice"});
  while (gpu.step()) {
    const std::string uuid = complete_gpu_uuid(gpu.text(1));
    if (!uuid.empty()) by_uuid.emplace(uuid, gpu.integer32(0));
    if (!gpu.is_null(2) && gpu.integer(2) >= 0) add(by_column, gpu.integer32(2), gpu.integer32(0));
  }
  read_processes(database, by_uuid);
  if (of_any_.empty()) of_any_ = std::move(by_column);
}

// The table exists since schema 3.16.4, its column "uuid" since a later one.
void DeviceIds::read_processes(Database& database,
                               const std::map<std::string, std::int32_t>& by_uuid) {
  Statement row = select(database, "TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid", "uuid"});
  while (row.step()) {
    std::optional<std::int32_t> id;
    if (!row.is_null(0)) id = row.integer32(0);
    const auto known = by_uuid.find(complete_gpu_uuid(row.text(3)));
    if (known != by_uuid.end()) id = known->second;
    if (!id) continue;
    of_process_[{row.integer(2), row.integer32(1)}] = *id;
    add(of_any_, row.integer32(1), *id);
  }
}

std::int32_t DeviceIds::of(std::int32_t cuda_id, std::optional<std::int64_t> pid) const {
  if (pid) {
    const auto own = of_process_.find({*pid, cuda_id});
    if (own != of_process_.end()) return own->second;
  }
  const auto any = of_any_.find(cuda_id);
  return any != of_any_.end() && any->second ? *any->second : cuda_id;
}

std::int32_t DeviceIds::in_process(std::int32_t cuda_id, std::optional<std::int64_t> global_pid) {
  if (global_pid == last_process_ && cuda_id == last_cuda_id_) return last_id_;
  std::optional<std::int64_t> pid;
  if (global_pid) pid = pid_of(*global_pid);
  last_process_ = global_pid;
  last_cuda_id_ = cuda_id;
  return last_id_ = of(cuda_id, pid);
}

}  // namespace mansard::store
