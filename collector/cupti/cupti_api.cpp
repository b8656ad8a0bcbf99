// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/cupti_api.h"

#include <cstdint>
#include <stdexcept>

#include "collector/cupti/cupti_library.h"

namespace mansard::collector {

CuptiApi load_cupti() {
  void* library = open_cupti_library();
  CuptiApi api;
  find_function(library, "cuptiGetVersion", api.get_version);
  find_function(library, "cuptiGetResultString", api.get_result_string);
  find_function(library, "cuptiGetCallbackName", api.get_callback_name);
  find_function(library, "cuptiSubscribe_v2", api.subscribe);
  find_function(library, "cuptiUnsubscribe", api.unsubscribe);
  find_function(library, "cuptiSetThreadIdType", api.set_thread_id_type);
  find_function(library, "cuptiActivityRegisterCallbacks", api.register_callbacks);
  find_function(library, "cuptiActivityEnable", api.enable);
  find_function(library, "cuptiActivityDisable", api.disable);
  find_function(library, "cuptiEnableCallback", api.enable_callback);
  find_function(library, "cuptiActivityEnableRuntimeApi", api.enable_runtime_api);
  find_function(library, "cuptiActivityEnableDriverApi", api.enable_driver_api);
  find_function(library, "cuptiActivityEnableAllSyncRecords", api.enable_all_sync_records);
  find_function(library, "cuptiActivityFlushAll", api.flush_all);
  find_function(library, "cuptiActivityFlushPeriod", api.flush_period);
  find_function(library, "cuptiActivityGetNextRecord", api.get_next_record);
  find_function(library, "cuptiActivityGetNumDroppedRecords", api.get_num_dropped_records);
  find_function(library, "cuptiGetGraphNodeId", api.get_graph_node_id);
  std::uint32_t version = 0;
  api.get_version(&version);
  // Records are read as this build's headers declare them; later versions only append to them.
  if (version < static_cast<std::uint32_t>(kCuptiMajor) * 10000) {
    throw std::runtime_error("the program's CUPTI (API version " + std::to_string(version) +
                             ") is older than the one Mansard was built with (" +
                             std::to_string(CUPTI_API_VERSION) + ")");
  }
  return api;
}

std::string describe(const CuptiApi& api, CUptiResult result) {
  const char* text = nullptr;
  if (api.get_result_string(result, &text) != CUPTI_SUCCESS || text == nullptr) text = "error";
  return std::string(text) + " (" + std::to_string(static_cast<int>(result)) + ")";
}

}  // namespace mansard::collector
