// SPDX-License-Identifier: Apache-2.0
#include "gui/models/background_part.h"

#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <QThreadPool>
#include <semaphore>
#include <stdexcept>

#include <gtest/gtest.h>

namespace mansard::gui {
namespace {

using PartState = BackgroundPart::State;

reports::ReportPart titled(const char* title) {
  reports::ReportPart part;
  part.title = title;
  return part;
}

bool finished(const BackgroundPart& part) {
  return QTest::qWaitFor([&] { return part.state() != PartState::working; }, 5000);
}

TEST(BackgroundPart, WorksInAnotherThread) {
  BackgroundPart part;
  QThread* worked_in = nullptr;
  part.start([&] {
    worked_in = QThread::currentThread();
    return titled("a");
  });
  EXPECT_EQ(part.state(), PartState::working);
  ASSERT_TRUE(finished(part));
  ASSERT_EQ(part.state(), PartState::ready);
  EXPECT_EQ(part.part()->title, "a");
  EXPECT_NE(worked_in, QThread::currentThread());
  part.clear();
  EXPECT_EQ(part.state(), PartState::empty);
  EXPECT_EQ(part.part(), nullptr);
}

TEST(BackgroundPart, ReportsErrors) {
  BackgroundPart part;
  part.start([]() -> reports::ReportPart { throw std::invalid_argument("no such step"); });
  ASSERT_TRUE(finished(part));
  EXPECT_EQ(part.state(), PartState::failed);
  EXPECT_EQ(part.error(), QStringLiteral("no such step"));
  part.start([] { return titled("b"); });
  EXPECT_EQ(part.error(), QString());
  ASSERT_TRUE(finished(part));
  EXPECT_EQ(part.part()->title, "b");
}

TEST(BackgroundPart, DeliversOnlyTheLatestResult) {
  BackgroundPart part;
  std::binary_semaphore first_may_end(0);
  part.start([&] {
    first_may_end.acquire();
    return titled("first");
  });
  part.start([] { return titled("second"); });
  ASSERT_TRUE(finished(part));
  first_may_end.release();
  ASSERT_TRUE(QThreadPool::globalInstance()->waitForDone(5000));
  QCoreApplication::processEvents();
  EXPECT_EQ(part.part()->title, "second");
}

TEST(BackgroundPart, MayBeDestroyedWhileWorking) {
  std::binary_semaphore may_end(0);
  {
    BackgroundPart part;
    part.start([&] {
      may_end.acquire();
      return titled("late");
    });
  }
  may_end.release();
  EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(5000));
}

}  // namespace
}  // namespace mansard::gui
