// SPDX-License-Identifier: Apache-2.0
// Runs the tests under the watchdog: one in which an event holds up the event loop fails. What else
// runs on a machine can make any event slow once, so tests with such an event run again, by
// themselves: they fail if the same is slow each time.
#include <QStringList>
#include <algorithm>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "gui/watched_application.h"
#include "slowness.h"

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kTimed = false;  // a few times slower than what users run
#else
constexpr bool kTimed = true;
#endif

constexpr int kTries = 5;
// Waits look alike, whether for what the event asked for or for a machine that gives the whole
// program a part of its time: tests allow more of them than people do.
constexpr double kLongestWait_ms = 10 * mansard::gui::kLongestEvent_ms;
// What a try knows of those before it: its number, from 1, and what was slow in all of them.
constexpr const char* kTry = "MANSARD_TEST_TRY";
constexpr const char* kSlow = "MANSARD_TEST_SLOW";

class SlowEventWatch : public testing::EmptyTestEventListener {
 public:
  explicit SlowEventWatch(mansard::gui::WatchedApplication& application)
      : application_(application),
        try_(std::max(1, qEnvironmentVariableIntValue(kTry))),
        slow_before_(qEnvironmentVariable(kSlow).split(QLatin1Char('\n'))) {}

  bool is_last_try() const { return try_ >= kTries; }
  bool saw_slow_events() const { return !slow_.isEmpty(); }

  void OnTestStart(const testing::TestInfo& test) override {
    test_ = QStringLiteral("%1.%2").arg(test.test_suite_name(), test.name());
    application_.set_report([this](const mansard::gui::SlowEvent& event) { note(event); });
  }
  void OnTestEnd(const testing::TestInfo&) override { application_.set_report({}); }

  // The tests with slow events, in a new process instead of this one. Returns if it cannot.
  void run_again(std::vector<std::string> arguments) const {
    QStringList tests;
    for (const QString& entry : slow_) tests << entry.section(kBetween, 0, 0);
    tests.removeDuplicates();
    arguments.push_back("--gtest_filter=" + tests.join(QLatin1Char(':')).toStdString());
    std::printf("again: %s\n", arguments.back().c_str());
    std::fflush(nullptr);
    qputenv(kTry, QByteArray::number(try_ + 1));
    qputenv(kSlow, slow_.join(QLatin1Char('\n')).toUtf8());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    execv("/proc/self/exe", argv.data());
  }

 private:
  static constexpr QLatin1Char kBetween{'\t'};

  void note(const mansard::gui::SlowEvent& event) {
    const double slowness = mansard::testing::slowness();
    const QString entry = test_ + kBetween + event.what;
    const bool slow = event.ran_ms > mansard::gui::kLongestEvent_ms * slowness ||
                      event.ms - event.ran_ms > kLongestWait_ms * slowness;
    if (!slow || (try_ > 1 && !slow_before_.contains(entry))) return;
    if (!slow_.contains(entry)) slow_ << entry;
    const std::string text =
        QStringLiteral(
            "%1 held up the event loop: it ran for %2 ms and waited for %3; at %4 times "
            "the time of the machine of reference %5 and %6 are allowed")
            .arg(event.what)
            .arg(event.ran_ms, 0, 'f', 1)
            .arg(event.ms - event.ran_ms, 0, 'f', 1)
            .arg(slowness, 0, 'f', 2)
            .arg(mansard::gui::kLongestEvent_ms * slowness, 0, 'f', 1)
            .arg(kLongestWait_ms * slowness, 0, 'f', 1)
            .toStdString();
    if (is_last_try()) {
      ADD_FAILURE() << text;
    } else {
      std::printf("%s\n", text.c_str());
    }
  }

  mansard::gui::WatchedApplication& application_;
  int try_;
  QStringList slow_before_;
  QString test_;
  QStringList slow_;
};

}  // namespace

int main(int argc, char** argv) {
  // The build lists the tests where there may be no display.
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  const std::vector<std::string> arguments(argv, argv + argc);  // of which Qt and gtest take theirs
  mansard::gui::WatchedApplication application(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  SlowEventWatch watch(application);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (kTimed) listeners.Append(&watch);
  const int failed = RUN_ALL_TESTS();
  listeners.Release(&watch);
  if (failed != 0 || watch.is_last_try() || !watch.saw_slow_events()) return failed;
  watch.run_again(arguments);
  return 1;
}
