// SPDX-License-Identifier: Apache-2.0
// Background jobs, and the threads that run them.
#include "gui/models/background.h"

#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <future>
#include <semaphore>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "gui/models/load_pool.h"
#include "gui/models/run_document.h"

namespace mansard::gui {
namespace {

constexpr int kLong_ms = 10'000;

struct Owner : QObject {
  Background background{this};
  int shown = 0;
};

TEST(Background, ThrowingJobKeepsTheState) {
  Owner owner;
  owner.background.start([] { return 7; }, [&](int result) { owner.shown = result; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return owner.shown == 7; }, kLong_ms));
  owner.background.start([]() -> int { throw std::runtime_error("no memory"); },
                         [&](int result) { owner.shown = result; });
  ASSERT_TRUE(QThreadPool::globalInstance()->waitForDone(kLong_ms));
  QCoreApplication::processEvents();
  EXPECT_EQ(owner.shown, 7);
  owner.background.start([] { return 8; }, [&](int result) { owner.shown = result; });
  EXPECT_TRUE(QTest::qWaitFor([&] { return owner.shown == 8; }, kLong_ms));
}

// Runs until it is told to stop.
int endless(const store::LoadControl& control, std::promise<void>& started) {
  started.set_value();
  for (;;) {
    control.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(Background, StopsSupersededAndOrphanedJobs) {
  std::promise<void> first;
  std::promise<void> second;
  {
    Owner owner;
    owner.background.start(
        [&](const store::LoadControl& control) { return endless(control, first); },
        [&](int) { FAIL() << "it has no result"; });
    first.get_future().wait();
    owner.background.start([] { return 3; }, [&](int result) { owner.shown = result; });
    ASSERT_TRUE(QThreadPool::globalInstance()->waitForDone(kLong_ms));
    ASSERT_TRUE(QTest::qWaitFor([&] { return owner.shown == 3; }, kLong_ms));
    owner.background.start(
        [&](const store::LoadControl& control) { return endless(control, second); },
        [&](int) { FAIL() << "it has no result"; });
    second.get_future().wait();
  }
  EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(kLong_ms));
}

TEST(Background, NeverWaitsBehindLoads) {
  std::counting_semaphore<> go(0);
  const int loads = 2 * std::max(2, QThread::idealThreadCount());
  std::vector<std::unique_ptr<RunDocument>> documents;
  for (int i = 0; i < loads; ++i) {
    documents.push_back(
        std::make_unique<RunDocument>(nullptr, [&](const auto&, const auto&, const auto&) {
          go.acquire();
          return analysis::RunAnalysis();
        }));
    documents.back()->open(QStringLiteral("slow %1").arg(i), {});
  }
  Owner owner;
  owner.background.start([] { return 5; }, [&](int result) { owner.shown = result; });
  EXPECT_TRUE(QTest::qWaitFor([&] { return owner.shown == 5; }, kLong_ms));
  go.release(loads);
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        return std::ranges::all_of(documents, [](const auto& document) {
          return document->state() == RunDocument::State::ready;
        });
      },
      kLong_ms));
}

struct Large {
  explicit Large(std::promise<std::thread::id>& when_gone) : gone(when_gone) {}
  Large(const Large&) = delete;
  Large& operator=(const Large&) = delete;
  ~Large() { gone.set_value(std::this_thread::get_id()); }
  std::promise<std::thread::id>& gone;
};

TEST(DestroyedInPool, IsDestroyedInAnotherThreadWhenUnreferenced) {
  std::promise<std::thread::id> gone;
  std::future<std::thread::id> where = gone.get_future();
  std::shared_ptr<const Large> large = destroyed_in_pool(std::make_shared<const Large>(gone));
  const std::weak_ptr<const Large> seen = large;
  std::shared_ptr<const Large> other = large;
  large.reset();
  EXPECT_FALSE(seen.expired());
  EXPECT_EQ(where.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  other.reset();
  EXPECT_TRUE(seen.expired());
  ASSERT_EQ(where.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_NE(where.get(), std::this_thread::get_id());
  EXPECT_EQ(destroyed_in_pool(std::shared_ptr<const Large>()), nullptr);
}

}  // namespace
}  // namespace mansard::gui
