// SPDX-License-Identifier: Apache-2.0
#include "collector/session/writer_thread.h"

#include <atomic>
#include <csignal>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/collector/sample.h"
#include "tests/support/sanitizers.h"
#include "tests/support/scratch.h"

namespace mansard::collector {
namespace {

using test::Scratch;

// ThreadSanitizer of g++ 12 does not intercept pthread_mutex_clocklock, which std::timed_mutex
// uses.
constexpr const char* kTimedMutex =
    "ThreadSanitizer does not see that a std::timed_mutex is locked";

using namespace std::chrono_literals;

class CountingSource : public EventSource {
 public:
  bool has_events() override { return pending > 0; }
  bool drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) override {
    if (fails) throw std::runtime_error("no space left on device");
    while (endless && wanted == 0) writer.add(test::sample_range());
    if (endless) return true;
    for (int n = pending.exchange(0); n > 0; --n) writer.add(test::sample_range());
    return false;
  }
  void close() override { closed = true; }
  void discard() override { discarded += pending.exchange(0); }
  std::uint64_t dropped_events() const override { return 7; }

  std::atomic<int> pending = 0;
  std::atomic<int> discarded = 0;
  std::atomic<bool> fails = false;
  std::atomic<bool> closed = false;
  std::atomic<bool> endless = false;  // until a thread is waiting
};

struct WriterFixture {
  Scratch scratch;
  std::filesystem::path file = scratch / "a.sqlite";
  CountingSource source;
  std::atomic<int> complaints = 0;
  WriterThread thread{
      {.open =
           [this] { return std::make_unique<store::ProfileWriter>(file, test::sample_session()); },
       .complain = [this](const std::string&) { ++complaints; },
       .now_ns = [] { return std::int64_t{42}; }}};
  WriterFixture() { thread.add_source(source); }
};

template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(WriterThread, NoFileWithoutEvents) {
  WriterFixture f;
  f.thread.diagnose(store::Severity::info, "not worth a file by itself");
  std::this_thread::sleep_for(300ms);
  EXPECT_TRUE(f.thread.finish(10s));
  EXPECT_FALSE(std::filesystem::exists(f.file));
}

TEST(WriterThread, CommitsPeriodically) {
  WriterFixture f;
  f.source.pending = 10;
  // Visible to another connection while the thread runs, hence committed.
  EXPECT_TRUE(eventually([&] {
    try {
      return store::load_profile(f.file).nvtx.size() == 10;
    } catch (const std::runtime_error&) {
      return false;  // not created, or nothing committed yet
    }
  }));
  EXPECT_EQ(store::load_profile(f.file).session.state, store::RecordingState::recording);
  f.source.pending = 5;
  f.thread.diagnose(store::Severity::warning, "late");
  EXPECT_TRUE(f.thread.finish(10s));
  const store::Profile p = store::load_profile(f.file);
  EXPECT_EQ(p.session.state, store::RecordingState::complete);
  EXPECT_EQ(p.nvtx.size(), 15u);
  ASSERT_EQ(p.diagnostics.size(), 1u);
  EXPECT_EQ(p.diagnostics[0].text, "late");
  EXPECT_EQ(p.diagnostics[0].timestamp_ns, 42);
}

TEST(WriterThread, ReportsProgress) {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "a.sqlite";
  std::mutex mutex;
  RecordingProgress last;
  CountingSource source;
  WriterThread thread(
      {.open = [&] { return std::make_unique<store::ProfileWriter>(file, test::sample_session()); },
       .complain = [](const std::string&) {},
       .now_ns = [] { return std::int64_t{0}; },
       .progress =
           [&](const RecordingProgress& progress) {
             const std::lock_guard lock(mutex);
             last = progress;
           }});
  thread.add_source(source);
  const auto events = [&] {
    const std::lock_guard lock(mutex);
    return last.events;
  };
  for (const std::uint64_t total : {10u, 15u}) {
    source.pending = static_cast<int>(total - events());
    EXPECT_TRUE(eventually([&] { return events() == total; })) << events();
  }
  {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(last.dropped_events, 7u);
    EXPECT_GE(last.file_bytes, std::filesystem::file_size(file) +
                                   std::filesystem::file_size(file.string() + "-wal") / 2);
    EXPECT_GT(last.file_bytes, 0u);
  }
  EXPECT_TRUE(thread.finish(10s));
}

TEST(WriterThread, FailureIsReportedOnceAndDiscardsTheRest) {
  WriterFixture f;
  f.source.pending = 3;
  ASSERT_TRUE(eventually([&] { return f.source.pending == 0; }));
  f.source.fails = true;
  f.source.pending = 4;
  EXPECT_TRUE(eventually([&] { return f.source.discarded == 4; }));
  f.source.pending = 2;
  EXPECT_TRUE(eventually([&] { return f.source.discarded == 6; }));
  EXPECT_TRUE(f.thread.finish(10s));
  EXPECT_EQ(f.complaints, 1);
  const store::Profile p = store::load_profile(f.file);
  EXPECT_EQ(p.session.state, store::RecordingState::interrupted);
  EXPECT_EQ(p.nvtx.size(), 3u);
  ASSERT_EQ(p.diagnostics.size(), 1u);
  EXPECT_NE(p.diagnostics[0].text.find("no space left"), std::string::npos);
}

TEST(WriterThread, PauseBlocksDatabaseAccess) {
  if (test::kHasThreadSanitizer) GTEST_SKIP() << kTimedMutex;
  WriterFixture f;
  const auto paused = f.thread.pause(5s);
  ASSERT_TRUE(paused.owns_lock());
  f.source.pending = 1;
  std::this_thread::sleep_for(500ms);
  EXPECT_EQ(f.source.pending, 1);
}

TEST(WriterThread, PauseDoesNotWaitForABusySource) {
  if (test::kHasThreadSanitizer) GTEST_SKIP() << kTimedMutex;
  WriterFixture f;
  f.source.endless = true;
  f.source.pending = 1;
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(f.file); }));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(f.thread.pause(20s).owns_lock());
  f.source.endless = false;
}

// Returns the signals blocked on this process's thread of that name, from /proc.
std::uint64_t blocked_signals(const std::string& wanted) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream comm(task.path() / "comm");
    std::string name;
    std::getline(comm, name);
    if (name != wanted) continue;
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("SigBlk:")) return std::stoull(line.substr(7), nullptr, 16);
    }
  }
  return 0;
}

TEST(WriterThread, BlocksSignalsOfTheProgram) {
  WriterFixture f;
  // The C library starts a thread with every signal blocked. A program's crash reporter must get
  // those of faults.
  ASSERT_TRUE(eventually([] {
    const std::uint64_t blocked = blocked_signals("mansard-writer");
    return blocked != 0 && (blocked >> (SIGSEGV - 1) & 1) == 0;
  }));
  const std::uint64_t blocked = blocked_signals("mansard-writer");
  for (const int number : {SIGINT, SIGTERM, SIGCHLD, SIGALRM, SIGUSR1, SIGXFSZ, SIGPROF}) {
    EXPECT_TRUE(blocked >> (number - 1) & 1) << number;
  }
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    EXPECT_FALSE(blocked >> (fault - 1) & 1) << fault;
  }
}

}  // namespace
}  // namespace mansard::collector
