// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/start.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <thread>
#include <unistd.h>
#include <utility>

#include "collector/cupti/counters/counter_source.h"
#include "collector/cupti/cupti_source.h"
#include "collector/cupti/sampling/gpu_metrics_source.h"
#include "collector/cupti/step_watch.h"
#include "collector/inject/nvtx_callbacks.h"
#include "collector/sources/device_state_source.h"

namespace mansard::collector {
namespace {

// Never destroyed: CUPTI may call back until the process ends.
CuptiSource* started = nullptr;
CounterSource* counters = nullptr;
StepWatch* step_watch = nullptr;
DeviceStateSource* device_state = nullptr;
GpuMetricsSource* gpu_metrics = nullptr;
pid_t started_in = 0;

// A forked child has nothing to stop, and locks copied from its parent may be held.
void stop_device_state() {
  if (device_state != nullptr && getpid() == started_in) {
    device_state->stop(std::chrono::seconds(1));
  }
}

void stop_counters() {
  if (counters != nullptr && getpid() == started_in) counters->stop();
}

void stop_gpu_metrics() {
  if (gpu_metrics != nullptr && getpid() == started_in) {
    gpu_metrics->stop(std::chrono::seconds(1));
  }
}

// The library is loaded here, on the program's thread, during driver initialization. If one of our
// threads called dlopen() during a fork, the child's loader would stay locked forever.
std::function<NvmlApi()> nvml_loader() {
  try {
    const NvmlApi api = load_nvml();
    // Runs before the library's own exit handlers, which were registered earlier.
    std::atexit(stop_device_state);
    return [api] { return api; };
  } catch (const std::exception& error) {
    // Reported once there is a GPU whose state could have been recorded.
    return [reason = std::string(error.what())]() -> NvmlApi { throw std::runtime_error(reason); };
  }
}

// Uses the driver that is already loaded. A stream that cannot be queried may be capturing.
bool is_capturing(CUstream stream) {
  using IsCapturing = CUresult (*)(CUstream, CUstreamCaptureStatus*);
  static const auto ask = [] {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void* found = driver != nullptr ? dlsym(driver, "cuStreamIsCapturing") : nullptr;
    return reinterpret_cast<IsCapturing>(found);
  }();
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (ask == nullptr || ask(stream, &status) != CUDA_SUCCESS) return true;
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

// The functions of the loaded driver with which to wait for a context's work.
struct DriverWork {
  CUresult (*create_event)(CUevent*, unsigned int) = nullptr;
  CUresult (*record_event)(CUcontext, CUevent) = nullptr;  // CUDA 12.5
  CUresult (*query_event)(CUevent) = nullptr;

  DriverWork() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (driver == nullptr) return;
    find(driver, "cuEventCreate", create_event);
    find(driver, "cuCtxRecordEvent", record_event);
    find(driver, "cuEventQuery", query_event);
  }

  template <class Function>
  static void find(void* driver, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(driver, name));
  }
};

// The context must be the current one, and none of its streams may be capturing. Never waits with
// an older driver.
bool wait_for_work(CUcontext context, std::chrono::milliseconds patience) {
  static const DriverWork driver;
  if (driver.create_event == nullptr || driver.record_event == nullptr) return true;
  // The caller holds a lock.
  static std::map<CUcontext, CUevent> events;
  CUevent& event = events[context];
  const bool recorded =
      (event != nullptr || driver.create_event(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS) &&
      driver.record_event(context, event) == CUDA_SUCCESS;
  if (!recorded) return false;
  const auto start = std::chrono::steady_clock::now();
  constexpr std::chrono::microseconds kSpin{200};
  for (;;) {
    const CUresult result = driver.query_event(event);
    if (result != CUDA_ERROR_NOT_READY) return result == CUDA_SUCCESS;
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited > patience) return false;
    if (waited > kSpin) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

// Never destroyed, like the CUPTI source. Null if counters cannot be read, which was reported.
CounterSource* start_counters(Recorder& recorder) {
  RecordingWindow& window = recorder.recording_window();
  const RecordingOptions& options = window.options();
  try {
    CounterSource::Settings settings;
    settings.set_name = options.counters;
    settings.automatic = options.counters == kAutoCounters;
    settings.per_kernel = settings.automatic ? 1 : options.counters_per_kernel;
    settings.after_window = options.limited();
    auto source = std::make_unique<CounterSource>(
        load_range_profiler(), load_profiler_host(), recorder.session_start_ns(),
        std::move(settings),
        CounterSource::Hooks{.complain = complain,
                             .is_capturing = is_capturing,
                             .wait_for_work = wait_for_work,
                             .library_call = work_of_plain_range,
                             .flush_all_records =
                                 [] {
                                   if (started != nullptr) started->flush_all_records();
                                 },
                             .values_need_stop = [] { std::atexit(stop_counters); }});
    // Created before the CUPTI source, which queries it when a window opens or closes.
    window.add_listener(*source);
    recorder.writer().add_source(*source);
    counters = source.release();
    return counters;
  } catch (const std::exception& error) {
    const std::string text = std::string("hardware counters are not read: ") + error.what();
    complain(text);
    recorder.writer().diagnose(store::Severity::warning, text);
    return nullptr;
  }
}

// Null if GPU metrics cannot be sampled, which was reported.
std::unique_ptr<GpuMetricsSource> make_gpu_metrics(Recorder& recorder) {
  const RecordingOptions& options = recorder.recording_window().options();
  try {
    return std::make_unique<GpuMetricsSource>(
        load_pm_sampling(), load_profiler_host(), recorder.session_start_ns(),
        std::chrono::microseconds(options.gpu_metrics_period_us),
        GpuMetricsSource::Hooks{.complain = complain,
                                .values_need_stop = [] { std::atexit(stop_gpu_metrics); }});
  } catch (const std::exception& error) {
    const std::string text = std::string("GPU metrics are not sampled: ") + error.what();
    complain(text);
    recorder.writer().diagnose(store::Severity::warning, text);
    return nullptr;
  }
}

}  // namespace

void start_cupti(Recorder& recorder) {
  static std::atomic<bool> once = false;
  if (once.exchange(true)) return;
  started_in = getpid();
  RecordingWindow& window = recorder.recording_window();
  std::unique_ptr<DeviceStateSource> state;
  std::unique_ptr<GpuMetricsSource> metrics;
  try {
    CuptiSource::Settings settings;
    settings.graphs_as_a_whole = window.options().cuda_graph_trace == CudaGraphTrace::graph;
    settings.memory_bytes = split_memory_limit(window.options().memory_limit_bytes).cupti_bytes;
    if (window.options().capture_profiler_api) {
      settings.on_profiler_api = [&window](bool start) { start ? window.open() : window.close(); };
    }
    if (window.options().reads_counters()) settings.launches = start_counters(recorder);
    if (window.watches_steps()) {
      step_watch = new StepWatch(window, settings.launches, [&recorder](const std::string& text) {
        complain(text);
        recorder.writer().diagnose(store::Severity::info, text);
      });
      settings.launches = step_watch;
    }
    const CuptiApi api = load_cupti();
    if (window.options().device_state_period_ms > 0) {
      state = std::make_unique<DeviceStateSource>(
          recorder.session_start_ns(), window,
          DeviceStateSource::Hooks{.load = nvml_loader(), .complain = complain});
    }
    if (window.options().gpu_metrics_period_us > 0) metrics = make_gpu_metrics(recorder);
    settings.on_device = [state = state.get(),
                          metrics = metrics.get()](const store::GpuRecord& gpu) {
      if (state != nullptr) state->add_device(gpu);
      if (metrics != nullptr) metrics->add_device(gpu);
    };
    auto source = std::make_unique<CuptiSource>(api, recorder.session_start_ns(), complain,
                                                std::move(settings));
    window.add_listener(*source);
    started = source.release();
  } catch (const std::exception& error) {
    recorder.writer().diagnose(store::Severity::warning,
                               std::string("GPU work is not recorded: ") + error.what());
    throw;
  }
  if (state != nullptr) {
    device_state = state.release();
    window.add_listener(*device_state);
    recorder.writer().add_source(*device_state);
  }
  if (metrics != nullptr) {
    gpu_metrics = metrics.release();
    window.add_listener(*gpu_metrics);
    recorder.writer().add_source(*gpu_metrics);
  }
  recorder.writer().add_source(*started);
  recorder.on_flush([] { started->flush(); });
  recorder.before_finish([] {
    started->stop();
    stop_device_state();
    stop_gpu_metrics();
  });
  // An exit handler registered before driver initialization would run after the driver has shut
  // down. This one is registered during it, so it runs earlier.
  std::atexit(Recorder::finish);
}

}  // namespace mansard::collector
