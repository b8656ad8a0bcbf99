// SPDX-License-Identifier: Apache-2.0
// Runs the tests under the watchdog: one in which an event holds up the event loop fails. What else
// runs on a machine can make any event slow once, so tests with such an event run again, by
// themselves: they fail if there is one again.
#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "gui/watched_application.h"
#include "slowness.h"

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kTimed = false;  // a few times slower than what users run
#else
constexpr bool kTimed = true;
#endif

// Names the try that this process is, from 1.
constexpr const char* kTry = "MANSARD_TEST_TRY";
constexpr int kTries = 3;

class SlowEventWatch : public testing::EmptyTestEventListener {
 public:
  SlowEventWatch(mansard::WatchedApplication& application, bool last_try)
      : application_(application), last_try_(last_try) {}

  const std::set<std::string>& slow_tests() const { return slow_tests_; }

  void OnTestStart(const testing::TestInfo& test) override {
    name_ = std::string(test.test_suite_name()) + "." + test.name();
    application_.set_report([this](const mansard::SlowEvent& slow) { note(slow); });
  }
  void OnTestEnd(const testing::TestInfo&) override { application_.set_report({}); }

 private:
  void note(const mansard::SlowEvent& slow) {
    const double slowness = mansard::testing::slowness();
    const double allowed_ms = mansard::kLongestEvent_ms * slowness;
    if (slow.ms <= allowed_ms) return;
    slow_tests_.insert(name_);
    const std::string text =
        QStringLiteral("%1 held up the event loop for %2 ms; %3 are allowed on this machine")
            .arg(slow.what)
            .arg(slow.ms, 0, 'f', 1)
            .arg(allowed_ms, 0, 'f', 1)
            .toStdString();
    if (last_try_) ADD_FAILURE() << text;
    if (!last_try_) std::printf("%s: %s\n", name_.c_str(), text.c_str());
  }

  mansard::WatchedApplication& application_;
  bool last_try_;
  std::string name_;
  std::set<std::string> slow_tests_;
};

// Does not return if it succeeds.
void run_again(char** argv, const std::set<std::string>& tests, int next_try) {
  std::string filter = "--gtest_filter=";
  for (const std::string& test : tests) filter += test + ":";
  std::printf("again: %s\n", filter.c_str());
  std::fflush(nullptr);
  qputenv(kTry, QByteArray::number(next_try));
  char* arguments[] = {argv[0], filter.data(), nullptr};
  execv("/proc/self/exe", arguments);
}

}  // namespace

int main(int argc, char** argv) {
  // The build lists the tests where there may be no display.
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  const int this_try = std::max(1, qEnvironmentVariableIntValue(kTry));
  mansard::WatchedApplication application(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  auto* watch = new SlowEventWatch(application, this_try >= kTries);
  if (kTimed) testing::UnitTest::GetInstance()->listeners().Append(watch);
  const int failed = RUN_ALL_TESTS();
  if (failed == 0 && this_try < kTries && !watch->slow_tests().empty()) {
    run_again(argv, watch->slow_tests(), this_try + 1);
    return 1;  // it could not
  }
  return failed;
}
