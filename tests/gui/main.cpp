// SPDX-License-Identifier: Apache-2.0
// Runs the tests under the watchdog: one in which an event holds up the event loop fails.
#include <gtest/gtest.h>

#include "gui/watched_application.h"

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kTimed = false;  // a few times slower than what users run
#else
constexpr bool kTimed = true;
#endif

class FailOnSlowEvents : public testing::EmptyTestEventListener {
 public:
  explicit FailOnSlowEvents(mansard::WatchedApplication& application) : application_(application) {}

  void OnTestStart(const testing::TestInfo&) override {
    application_.set_report([](const mansard::SlowEvent& slow) {
      ADD_FAILURE() << slow.what.toStdString() << " held up the event loop for " << slow.ms
                    << " ms; " << mansard::kLongestEvent_ms << " are allowed";
    });
  }
  void OnTestEnd(const testing::TestInfo&) override { application_.set_report({}); }

 private:
  mansard::WatchedApplication& application_;
};

}  // namespace

int main(int argc, char** argv) {
  // The build lists the tests where there may be no display.
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  mansard::WatchedApplication application(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  if (kTimed)
    testing::UnitTest::GetInstance()->listeners().Append(new FailOnSlowEvents(application));
  return RUN_ALL_TESTS();
}
