// SPDX-License-Identifier: Apache-2.0
// All tables of a profile.
#pragma once

#include "collector/store/device_tables.h"
#include "collector/store/host_tables.h"
#include "collector/store/mansard_tables.h"

namespace mansard::store {

// Records of all tables of a profile.
using AllRecords =
    std::tuple<KernelRecord, MemcpyRecord, MemsetRecord, GraphRecord, SynchronizationRecord,
               OverheadRecord, MemoryRecord, MemoryPoolRecord, ApiRecord, GraphNodeRecord,
               NvtxRecord, DiagnosticRecord, ExportRow, ProcessRow, StringRow, ThreadNameRow,
               GpuRecord, ContextRecord, StreamRecord, SessionStartRow, StateRow, SessionValueRow,
               RecordedWindow, PauseRecord, CounterReading, CounterValueRow, DeviceStateSample,
               GpuMetricRow, CollectiveRecord, WorkRow, WorkBytesRow, TensorNumericsRow,
               TrainingStepRow>;

// Calls take(table) for each of them.
template <class Take>
void for_each_table(const Take& take) {
  const auto take_all = [&]<class... Records>(std::type_identity<std::tuple<Records...>>) {
    (take(table<Records>), ...);
  };
  take_all(std::type_identity<AllRecords>());
}

}  // namespace mansard::store
