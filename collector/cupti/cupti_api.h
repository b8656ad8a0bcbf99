// SPDX-License-Identifier: Apache-2.0
// CUPTI's functions as a table. The library is loaded at run time, so that the collector also works
// in programs without it, and tests can substitute functions.
#pragma once

#include <string>

#include <cupti.h>

namespace mansard::collector {

struct CuptiApi {
  decltype(&cuptiGetVersion) get_version = nullptr;
  decltype(&cuptiGetResultString) get_result_string = nullptr;
  decltype(&cuptiGetCallbackName) get_callback_name = nullptr;
  decltype(&cuptiSubscribe_v2) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiSetThreadIdType) set_thread_id_type = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiEnableCallback) enable_callback = nullptr;
  decltype(&cuptiActivityEnableRuntimeApi) enable_runtime_api = nullptr;
  decltype(&cuptiActivityEnableDriverApi) enable_driver_api = nullptr;
  decltype(&cuptiActivityEnableAllSyncRecords) enable_all_sync_records = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityFlushPeriod) flush_period = nullptr;
  decltype(&cuptiActivityGetNextRecord) get_next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) get_num_dropped_records = nullptr;
  decltype(&cuptiGetGraphNodeId) get_graph_node_id = nullptr;
};

// Throws std::runtime_error that lists where CUPTI was searched, or the missing function. The
// library stays loaded.
CuptiApi load_cupti();

// "CUPTI_ERROR_INVALID_KIND (21)"
std::string describe(const CuptiApi& api, CUptiResult result);

}  // namespace mansard::collector
