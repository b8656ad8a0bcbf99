// SPDX-License-Identifier: Apache-2.0
// kill -9 at random times: the profile is intact, consistent, and lacks at most the last second.
#include <random>
#include <signal.h>
#include <thread>

#include <gtest/gtest.h>

#include "collector/store/profile_writer.h"
#include "collector/store/sqlite.h"
#include "tests/collector/run_program.h"

namespace mansard::collector {
namespace {

using namespace test;
using namespace std::chrono_literals;

// Waits for the pid that the program writes to `file`; returns 0 if it never does.
pid_t wait_for_pid(const std::filesystem::path& file) {
  for (int i = 0; i < 1000; ++i) {
    const std::string text = contents(file);
    if (text.ends_with("\n")) return static_cast<pid_t>(std::stol(text));
    std::this_thread::sleep_for(10ms);
  }
  return 0;
}

class Kill9 : public testing::TestWithParam<int> {};

TEST_P(Kill9, LosesAtMostTheLastSecond) {
  const Scratch scratch;
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const auto delay = std::chrono::milliseconds(std::uniform_int_distribution(1200, 2600)(random));
  std::int64_t killed_utc_ns = 0;
  std::thread killer([&] {
    const pid_t pid = wait_for_pid(scratch / "pid");
    if (pid == 0) return;
    std::this_thread::sleep_for(delay);
    killed_utc_ns = store::utc_now_ns();
    kill(pid, SIGKILL);
  });
  const Ran ran = run(scratch, "ending", "forever " + (scratch / "pid").string());
  killer.join();
  EXPECT_EQ(ran.result.exit_code, 128 + SIGKILL);

  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.session.state, store::RecordingState::interrupted);
  ASSERT_GT(count(p, "tick"), 0u);
  std::int64_t last_ns = 0;
  for (const store::NvtxRecord& r : p.nvtx) last_ns = std::max(last_ns, r.end_ns);
  const std::int64_t lost_ns = killed_utc_ns - (p.session.start_utc_ns + last_ns);
  // 1 s is the guarantee; the rest allows for a machine busy with other tests.
  EXPECT_LT(lost_ns, 1'500'000'000);
  // The outermost range had not ended yet, but is stored.
  ASSERT_NE(find(p, "whole run"), nullptr);
  EXPECT_EQ(find(p, "whole run")->end_ns, -1);

  store::Database database((scratch / "run.sqlite").string(), store::Database::Access::read_only);
  store::Statement check = database.prepare("PRAGMA integrity_check");
  ASSERT_TRUE(check.step());
  EXPECT_EQ(check.text(0), "ok");
}

INSTANTIATE_TEST_SUITE_P(Moments, Kill9, testing::Range(0, 10));

}  // namespace
}  // namespace mansard::collector
