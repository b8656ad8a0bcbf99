// SPDX-License-Identifier: Apache-2.0
// A profile that is still being recorded is reloaded until it is complete.
#include "gui/models/live_refresh.h"

#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

#include "gui/models/run_document.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

// Complete at the third load.
struct GrowingRun {
  std::atomic<int> loads = 0;
  RunLoader loader() {
    return [this](const auto&...) {
      analysis::RunAnalysis run = *testing::training_run();
      const bool complete = ++loads >= 3;
      run.profile.session.state =
          complete ? store::RecordingState::complete : store::RecordingState::recording;
      return run;
    };
  }
};

TEST(LiveRefresh, ReloadsUntilTheProfileIsComplete) {
  GrowingRun growing;
  RunDocument document(nullptr, growing.loader());
  LiveRefresh live(&document);
  live.set_pause(std::chrono::milliseconds(10));
  QSignalSpy recording(&live, &LiveRefresh::recording_changed);
  document.open(QStringLiteral("growing.sqlite"), {});
  EXPECT_TRUE(QTest::qWaitFor([&] { return recording.count() == 2; }, 10000));
  EXPECT_EQ(growing.loads, 3);
  EXPECT_FALSE(live.is_recording());
  QTest::qWait(100);
  EXPECT_EQ(growing.loads, 3) << "a complete profile is not reloaded";
}

TEST(LiveRefresh, StopsWhenFollowingIsTurnedOff) {
  GrowingRun growing;
  RunDocument document(nullptr, growing.loader());
  LiveRefresh live(&document);
  live.set_follows(false);
  live.set_pause(std::chrono::milliseconds(10));
  document.open(QStringLiteral("growing.sqlite"), {});
  EXPECT_TRUE(QTest::qWaitFor([&] { return live.is_recording(); }, 10000));
  QTest::qWait(100);
  EXPECT_EQ(growing.loads, 1);
  live.set_follows(true);
  EXPECT_TRUE(QTest::qWaitFor([&] { return growing.loads == 3; }, 10000));
}

TEST(LiveRefresh, ContinuesAfterAFailedLoad) {
  std::atomic<int> loads = 0;
  RunDocument document(nullptr, [&](const auto&...) {
    const int load = ++loads;
    if (load == 2 || load == 3) throw std::runtime_error("it is locked");
    analysis::RunAnalysis run = *testing::training_run();
    run.profile.session.state =
        load > 3 ? store::RecordingState::complete : store::RecordingState::recording;
    return run;
  });
  LiveRefresh live(&document);
  live.set_pause(std::chrono::milliseconds(10));
  QSignalSpy recording(&live, &LiveRefresh::recording_changed);
  int shown = 0;
  QObject::connect(&document, &RunDocument::changed, &document,
                   [&] { shown += document.open_run() != nullptr ? 1 : 0; });
  document.open(QStringLiteral("growing.sqlite"), {});
  EXPECT_TRUE(QTest::qWaitFor([&] { return loads >= 2 && !document.error().isEmpty(); }, 10000));
  EXPECT_NE(document.open_run(), nullptr);
  EXPECT_TRUE(live.is_recording());
  EXPECT_TRUE(QTest::qWaitFor([&] { return recording.count() == 2; }, 10000));
  EXPECT_EQ(loads, 4);
  EXPECT_FALSE(live.is_recording());
  EXPECT_TRUE(document.error().isEmpty());
  EXPECT_GE(shown, 6) << "shown continuously from the first load on";
}

// Another caller reloads during the pause.
TEST(LiveRefresh, DoesNotCancelAnotherLoad) {
  std::atomic<int> loads = 0;
  std::atomic<int> canceled = 0;
  RunDocument document(nullptr, [&](const auto&, const auto&, const store::LoadControl& control) {
    const int steps = ++loads > 1 ? 300 : 0;
    try {
      for (int i = 0; i < steps; ++i) {
        control.check();
        QThread::msleep(1);
      }
    } catch (const store::LoadCanceled&) {
      ++canceled;
      throw;
    }
    analysis::RunAnalysis run = *testing::training_run();
    run.profile.session.state = store::RecordingState::recording;
    return run;
  });
  LiveRefresh live(&document);
  live.set_pause(std::chrono::milliseconds(100));
  document.open(QStringLiteral("growing.sqlite"), {});
  ASSERT_TRUE(QTest::qWaitFor([&] { return live.is_recording(); }, 10000));
  const auto first = document.open_run();
  document.reload();
  EXPECT_TRUE(QTest::qWaitFor([&] { return document.open_run() != first; }, 10000));
  EXPECT_EQ(canceled, 0);
}

}  // namespace
}  // namespace mansard::gui
