// SPDX-License-Identifier: Apache-2.0
#include "gui/watched_application.h"

#include <QEventLoop>
#include <QTest>
#include <QTimer>
#include <vector>

#include <gtest/gtest.h>

#include "gui/thread_time.h"

namespace mansard::gui {
namespace {

class WatchedApplicationTest : public ::testing::Test {
 protected:
  WatchedApplicationTest() {
    static_cast<WatchedApplication*>(qApp)->set_report(
        [this](const SlowEvent& slow) { slow_.push_back(slow); });
  }
  ~WatchedApplicationTest() override { static_cast<WatchedApplication*>(qApp)->set_report({}); }

  static void hold_up(double ms) {
    const ThreadTime start = thread_time();
    while (own_ms(start, thread_time()) < ms) QThread::msleep(1);
  }
  void in_an_event(const std::function<void()>& work) {
    QEventLoop loop;
    QTimer::singleShot(0, qApp, [&] {
      work();
      loop.quit();
    });
    loop.exec();
  }

  std::vector<SlowEvent> slow_;
};

TEST_F(WatchedApplicationTest, NoticesASlowEvent) {
  in_an_event([] { hold_up(3 * kLongestEvent_ms); });
  ASSERT_EQ(slow_.size(), 1u);
  EXPECT_GT(slow_[0].ms, kLongestEvent_ms);
  EXPECT_LT(slow_[0].ran_ms, slow_[0].ms) << "it slept";
  EXPECT_TRUE(slow_[0].what.contains(QStringLiteral("MetaCall of"))) << slow_[0].what.toStdString();
}

TEST_F(WatchedApplicationTest, LeavesQuickOnesAlone) {
  constexpr std::size_t kEvents = 20;
  for (std::size_t i = 0; i < kEvents; ++i) in_an_event([] { hold_up(5); });
  // A machine that gives the program a part of its time only stops some of them for longer.
  EXPECT_LT(slow_.size(), kEvents / 2);
}

// A dialog waits for its user in an event loop of its own.
TEST_F(WatchedApplicationTest, WaitingInAnEventLoopIsNoHoldUp) {
  in_an_event([] {
    QEventLoop dialog;
    QTimer::singleShot(static_cast<int>(3 * kLongestEvent_ms), &dialog, &QEventLoop::quit);
    dialog.exec();
  });
  EXPECT_TRUE(slow_.empty());
}

TEST_F(WatchedApplicationTest, AHoldUpWithinADialogIsNoticed) {
  in_an_event([] {
    QEventLoop dialog;
    QTimer::singleShot(0, qApp, [&] {
      hold_up(3 * kLongestEvent_ms);
      dialog.quit();
    });
    dialog.exec();
  });
  EXPECT_EQ(slow_.size(), 1u);
}

}  // namespace
}  // namespace mansard::gui
