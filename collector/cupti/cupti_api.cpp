// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/cupti_api.h"

#include <dlfcn.h>
#include <stdexcept>

namespace mansard {
namespace {

constexpr int kMajor = CUPTI_API_VERSION / 10000;

void* open_library() {
  const std::string soname = "libcupti.so." + std::to_string(kMajor);
  // The program may carry its own (PyTorch does): two copies in a process would fight.
  if (void* loaded = dlopen(soname.c_str(), RTLD_NOW | RTLD_NOLOAD)) return loaded;
  std::string tried;
  for (const std::string& name :
       {std::string(MANSARD_CUPTI_LIBRARY), soname, std::string("libcupti.so")}) {
    if (name.empty()) continue;
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    const char* reason = dlerror();
    tried += "\n  " + std::string(reason != nullptr ? reason : name);
  }
  throw std::runtime_error("CUPTI cannot be loaded; add its folder to LD_LIBRARY_PATH:" + tried);
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    throw std::runtime_error("this CUPTI lacks " + std::string(name) + "; CUDA " +
                             std::to_string(kMajor) + ".0 or later is needed");
  }
}

}  // namespace

CuptiApi load_cupti() {
  void* library = open_library();
  CuptiApi api;
  find(library, "cuptiGetVersion", api.get_version);
  find(library, "cuptiGetResultString", api.get_result_string);
  find(library, "cuptiGetCallbackName", api.get_callback_name);
  find(library, "cuptiSubscribe_v2", api.subscribe);
  find(library, "cuptiUnsubscribe", api.unsubscribe);
  find(library, "cuptiSetThreadIdType", api.set_thread_id_type);
  find(library, "cuptiActivityRegisterCallbacks", api.register_callbacks);
  find(library, "cuptiActivityEnable", api.enable);
  find(library, "cuptiActivityDisable", api.disable);
  find(library, "cuptiEnableCallback", api.enable_callback);
  find(library, "cuptiGetDeviceId", api.get_device_id);
  find(library, "cuptiActivityEnableRuntimeApi", api.enable_runtime_api);
  find(library, "cuptiActivityEnableDriverApi", api.enable_driver_api);
  find(library, "cuptiActivityFlushAll", api.flush_all);
  find(library, "cuptiActivityFlushPeriod", api.flush_period);
  find(library, "cuptiActivityGetNextRecord", api.get_next_record);
  find(library, "cuptiActivityGetNumDroppedRecords", api.get_num_dropped_records);
  std::uint32_t version = 0;
  api.get_version(&version);
  // Records are read as this build's headers declare them; later versions only append to them.
  if (version < static_cast<std::uint32_t>(kMajor) * 10000) {
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

}  // namespace mansard
