// SPDX-License-Identifier: Apache-2.0
// A run that is still being recorded is loaded again until it is complete.
#include "gui/models/live_refresh.h"

#include <QSignalSpy>
#include <QTest>
#include <atomic>

#include <gtest/gtest.h>

#include "gui/models/run_document.h"
#include "tests/gui/fixture.h"

namespace mansard {
namespace {

// Complete at the third load.
struct GrowingRun {
  std::atomic<int> loads = 0;
  RunLoader loader() {
    return [this](const auto&...) {
      RunAnalysis run = *testing::training_run();
      const bool complete = ++loads >= 3;
      run.profile.session.state = complete ? RecordingState::complete : RecordingState::recording;
      return run;
    };
  }
};

TEST(LiveRefresh, LoadsAgainUntilTheRecordingIsComplete) {
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
  EXPECT_EQ(growing.loads, 3) << "a complete recording is left alone";
}

TEST(LiveRefresh, StopsWhenNobodyFollows) {
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

}  // namespace
}  // namespace mansard
