// SPDX-License-Identifier: Apache-2.0
// Logs what it is notified of.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/cupti/launch_observer.h"

namespace mansard::test {

struct Observer : collector::LaunchObserver {
  void launch_begins(CUpti_CallbackId, const CUpti_CallbackData&) override { log += "("; }
  void launch_ends(const CUpti_CallbackData&) override { log += ")"; }
  void launches_unwatched() override { log += "-"; }
  void capture_begins() override { log += "["; }
  void capture_ends() override { log += "]"; }
  bool was_read(std::uint32_t id) override { return id == read; }
  void kernel_recorded(const store::KernelRecord& kernel, std::string_view name) override {
    recorded.emplace_back(kernel.grid[0], name);
  }
  void context_ends(CUcontext) override { log += "x"; }
  bool wants_launches() override { return wants; }
  bool is_done() override { return false; }
  void stop() override { log += "!"; }

  std::string log;
  std::vector<std::pair<int, std::string>> recorded;
  bool wants = false;
  std::uint32_t read = 0;
};

}  // namespace mansard::test
