// SPDX-License-Identifier: Apache-2.0
// Programs that run steps until the test has seen enough, so that tests do not depend on machine
// speed.
#pragma once

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/collector/run_program.h"

namespace mansard::test {

template <class Condition>
void wait_until(Condition condition, const std::string& what) {
  constexpr std::chrono::seconds kPatience{40};
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("never: " + what);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// Runs one or more instances of tests/collector/programs/steps.cpp, recorded to run.sqlite.
class RunningSteps {
 public:
  explicit RunningSteps(const Scratch& scratch, const collector::RecordingOptions& options = {},
                        int processes = 1)
      : scratch_(scratch) {
    const std::string one = program("steps") + " " + enough().string() + " 0.002";
    std::string all;
    for (int i = 1; i < processes; ++i) all += one + " & ";
    thread_ = std::thread([this, options, shell = all + "exec " + one] { run(shell, options); });
  }
  ~RunningSteps() { end(); }
  RunningSteps(const RunningSteps&) = delete;
  RunningSteps& operator=(const RunningSteps&) = delete;

  // Number of finished steps, in all processes.
  int count() const {
    const std::string printed = contents(scratch_ / "stdout");
    return static_cast<int>(std::count(printed.begin(), printed.end(), '\n'));
  }

  // Waits for the step in progress and `more` whole steps.
  void wait_for(int more) const {
    const int wanted = count() + 1 + more;
    wait_until([&] { return count() >= wanted; }, "step " + std::to_string(wanted));
  }

  Ran end() {
    std::ofstream(enough()) << "";
    if (thread_.joinable()) thread_.join();
    return ran_;
  }

 private:
  std::filesystem::path enough() const { return scratch_ / "enough"; }

  void run(const std::string& shell, const collector::RecordingOptions& options) {
    try {
      ran_ = run_shell(scratch_, shell, "run.sqlite", options);
    } catch (const std::exception& error) {
      ran_.err = error.what();
    }
  }

  const Scratch& scratch_;
  Ran ran_;
  std::thread thread_;
};

}  // namespace mansard::test
