// SPDX-License-Identifier: Apache-2.0
// device_state FILE PID_FILE: records the state of the GPU "GPU-fake" to FILE every 10 ms until
// killed. Writes its pid to PID_FILE.
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include "collector/sources/device_state_source.h"

namespace {

using namespace mansard;

// A source with an event that justifies a file.
class OneRange : public collector::EventSource {
 public:
  bool has_events() override { return true; }
  bool drain(store::ProfileWriter& writer, const std::atomic<int>&) override {
    if (!std::exchange(written_, true)) writer.add(store::NvtxRecord{});
    return false;
  }
  void close() override {}
  void discard() override {}

 private:
  bool written_ = false;
};

}  // namespace

int main(int, char** argv) {
  const auto complain = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  store::SessionInfo session;
  session.start_utc_ns = store::utc_now_ns();
  collector::RecordingOptions options;
  options.device_state_period_ms = 10;
  collector::RecordingWindow window(options, {.now_ns = store::utc_now_ns, .complain = complain});
  collector::DeviceStateSource source(session.start_utc_ns, window,
                                      {.load = load_nvml, .complain = complain});
  OneRange range;
  collector::WriterThread writer(
      {.open = [&] { return std::make_unique<store::ProfileWriter>(argv[1], session); },
       .complain = complain,
       .now_ns = [] { return std::int64_t{0}; }});
  window.add_listener(source);
  writer.add_source(source);
  writer.add_source(range);
  store::GpuRecord gpu;
  gpu.id = 3;
  gpu.uuid = "GPU-fake";
  source.add_device(gpu);
  std::ofstream(argv[2]) << getpid() << std::endl;
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}
