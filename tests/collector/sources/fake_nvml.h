// SPDX-License-Identifier: Apache-2.0
// A fake NVML: two GPUs whose values all differ. Only one may exist at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "support/nvml.h"

namespace mansard::test {

struct FakeNvml {
  std::atomic<int> loads = 0;
  std::atomic<int> shutdowns = 0;
  std::atomic<int> reads = 0;  // of the SM clock, the first query of a round
  std::atomic<nvml::Return> init_result = nvml::kSuccess;
  std::atomic<bool> has_instant_power = true;
  std::atomic<int> instant_power_asked = 0;
  std::atomic<nvml::Return> result[2] = {nvml::kSuccess, nvml::kSuccess};  // of all calls, by GPU
  std::atomic<unsigned long long> reasons = 0x4 | 0x40;
  std::atomic<int> call_takes_ms = 0;
  std::atomic<bool> hangs = false;
  std::atomic<int> rounds_to_fail = 0;
  std::atomic<bool> round_fails = false;

  FakeNvml() { current = this; }
  ~FakeNvml() { current = nullptr; }
  FakeNvml(const FakeNvml&) = delete;
  FakeNvml& operator=(const FakeNvml&) = delete;

  static inline FakeNvml* current = nullptr;

  static std::size_t index(nvml::Device device) {
    return reinterpret_cast<std::size_t>(device) - 1;
  }
  static nvml::Return answer(nvml::Device device) {
    constexpr nvml::Return kTimeout = 10;
    return current->round_fails ? kTimeout : current->result[index(device)].load();
  }
  static unsigned of(nvml::Device device, unsigned value) {
    return value + static_cast<unsigned>(index(device));
  }

  static NvmlApi api() {
    ++current->loads;
    NvmlApi api;
    api.init = [] { return current->init_result.load(); };
    api.shutdown = [] {
      ++current->shutdowns;
      return nvml::kSuccess;
    };
    api.error_string = [](nvml::Return) { return "fake error"; };
    api.device_by_uuid = [](const char* uuid, nvml::Device* device) {
      const std::string text = uuid;
      if (text != "GPU-0" && text != "GPU-1") return nvml::Return{6};  // not found
      *device = reinterpret_cast<nvml::Device>(static_cast<std::size_t>(text.back() - '0') + 1);
      return nvml::kSuccess;
    };
    api.clock_mhz = [](nvml::Device device, unsigned clock, unsigned* mhz) {
      if (clock == nvml::kSmClock) {
        current->round_fails = current->rounds_to_fail > 0;
        if (current->round_fails) --current->rounds_to_fail;
        ++current->reads;
        while (current->hangs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(std::chrono::milliseconds(current->call_takes_ms));
      }
      *mhz = of(device, clock == nvml::kSmClock ? 1410 : 3201);
      return answer(device);
    };
    api.field_values = [](nvml::Device device, int, nvml::FieldValue* field) {
      ++current->instant_power_asked;
      field->result = current->has_instant_power ? answer(device) : nvml::kNotSupported;
      field->type = nvml::ValueType::uint32;
      field->value.uint32 = field->field == nvml::kPowerInstant ? of(device, 699'500) : 0;
      return nvml::kSuccess;
    };
    api.power_mw = [](nvml::Device device, unsigned* mw) {
      *mw = of(device, 612'250);
      return answer(device);
    };
    api.temperature_c = [](nvml::Device device, unsigned, unsigned* celsius) {
      *celsius = of(device, 71);
      return answer(device);
    };
    api.clocks_event_reasons = [](nvml::Device device, unsigned long long* bits) {
      *bits = current->reasons;
      return answer(device);
    };
    api.utilization = [](nvml::Device device, nvml::Utilization* busy) {
      *busy = {of(device, 97), of(device, 55)};
      return answer(device);
    };
    api.memory = [](nvml::Device device, nvml::Memory* memory) {
      *memory = {150'000'000'000, 70'000'000'000, 80'000'000'000 + index(device)};
      return answer(device);
    };
    return api;
  }
};

}  // namespace mansard::test
