// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/start.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <utility>

#include "collector/cupti/cupti_source.h"

namespace mansard {
namespace {

// Never destroyed: CUPTI may call back until the process ends.
CuptiSource* started = nullptr;

}  // namespace

void start_cupti(Recorder& recorder) {
  static std::atomic<bool> once = false;
  if (once.exchange(true)) return;
  try {
    RecordingWindow& window = recorder.recording_window();
    CuptiSource::Settings settings;
    settings.memory_bytes = split_memory_limit(window.options().memory_limit_bytes).cupti_bytes;
    if (window.options().capture_profiler_api) {
      settings.on_profiler_api = [&window](bool start) { start ? window.open() : window.close(); };
    }
    auto source = std::make_unique<CuptiSource>(load_cupti(), recorder.session_start_ns(), complain,
                                                std::move(settings));
    window.add_listener(*source);
    started = source.release();
  } catch (const std::exception& error) {
    recorder.writer().diagnose(Severity::warning,
                               std::string("GPU work is not recorded: ") + error.what());
    throw;
  }
  recorder.writer().add_source(*started);
  recorder.on_flush([] { started->flush(); });
  recorder.before_finish([] { started->stop(); });
  // An exit handler from before the driver's initialisation would run after the driver has ended;
  // this one is registered during it and runs before.
  std::atexit(Recorder::finish);
}

}  // namespace mansard
