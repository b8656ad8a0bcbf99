// SPDX-License-Identifier: Apache-2.0
// The symbols that NVTX and the CUDA driver look up to load the collector.
#include <cstdlib>

#include "collector/inject/nvtx_callbacks.h"
#include "collector/inject/recorder.h"
#if MANSARD_HAVE_CUPTI
#include "collector/cupti/start.h"
#endif

#define MANSARD_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// Returns false in a set-uid program.
bool is_to_be_recorded() {
  const char* output = secure_getenv("MANSARD_OUTPUT");
  return output != nullptr && *output != '\0';
}

}  // namespace

// Called by NVTX once for each shared object that contains it (NVTX_INJECTION64_PATH).
// 0 makes that copy of NVTX inert.
MANSARD_EXPORT int InitializeInjectionNvtx2(
    mansard::collector::nvtx::GetExportTable get_export_table) noexcept {
  if (get_export_table == nullptr || !is_to_be_recorded()) return 0;
  try {
    return mansard::collector::attach_nvtx(get_export_table) ? 1 : 0;
  } catch (...) {
    return 0;
  }
}

// Called once for each copy of an NVTX extension that is used. 0 makes that copy inert.
MANSARD_EXPORT int InitializeInjectionNvtxExtension(
    mansard::collector::nvtx::ModuleInfo* module) noexcept {
  if (module == nullptr || !is_to_be_recorded()) return 0;
  return mansard::collector::attach_nvtx_payloads(*module) ? 1 : 0;
}

// Called by the CUDA driver's initialization (CUDA_INJECTION64_PATH).
MANSARD_EXPORT int InitializeInjection() noexcept {
#if MANSARD_HAVE_CUPTI
  if (!is_to_be_recorded()) return 1;
  try {
    if (mansard::collector::Recorder* recorder = mansard::collector::Recorder::get())
      mansard::collector::start_cupti(*recorder);
  } catch (const std::exception& error) {
    mansard::collector::complain(std::string("GPU work is not recorded: ") + error.what());
  }
#endif
  return 1;
}

MANSARD_EXPORT void mansard_range_push(const char* text) noexcept {
  mansard::collector::push_plain_range(text);
}

MANSARD_EXPORT void mansard_range_pop() noexcept { mansard::collector::pop_plain_range(); }

MANSARD_EXPORT void mansard_mark(const char* text) noexcept {
  mansard::collector::add_plain_mark(text);
}
