// SPDX-License-Identifier: Apache-2.0
// Problems with the profile never affect the program.
#include <gtest/gtest.h>

#include "tests/collector/run_program.h"

namespace mansard::collector {
namespace {

using namespace test;

std::string expected_sum() { return std::to_string(8L * 4999 * 5000 / 2) + "\n"; }

TEST(Output, ExistingFileIsNotChanged) {
  const Scratch scratch;
  std::ofstream(scratch / "run.sqlite") << "precious";
  const Ran ran = run(scratch, "ending", "exit 3");
  EXPECT_EQ(ran.result.exit_code, 3);
  EXPECT_EQ(contents(scratch / "run.sqlite"), "precious");
  ASSERT_EQ(ran.result.recorded.size(), 1u);
  const store::Profile p = store::load_profile(ran.result.recorded[0]);
  EXPECT_EQ(count(p, "r"), 10u);
  EXPECT_EQ(ran.result.recorded[0], scratch / ("run." + std::to_string(p.session.pid) + ".sqlite"));
}

TEST(Output, PatternsNameTheProcess) {
  const Scratch scratch;
  const Ran ran =
      run_shell(scratch, "RANK=3 exec " + program("ending") + " exit 0", "%p-r%r.sqlite");
  ASSERT_EQ(ran.result.recorded.size(), 1u);
  const store::Profile p = store::load_profile(ran.result.recorded[0]);
  EXPECT_EQ(p.session.rank, 3);
  EXPECT_EQ(ran.result.recorded[0].filename(), std::to_string(p.session.pid) + "-r3.sqlite");
}

TEST(Output, FolderThatDoesNotExist) {
  const Scratch scratch;
  const Ran ran =
      run_shell(scratch, "exec " + program("ranges") + " 8 10000", "no/such/run.sqlite");
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.out, expected_sum());
  EXPECT_NE(ran.err.find("cannot create"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find('\n'), ran.err.size() - 1) << "said once: " << ran.err;
  EXPECT_TRUE(ran.result.recorded.empty());
}

// A file size limit simulates a full disk. Its signal keeps the default action, which would kill
// the process if the writer thread could receive it.
TEST(Output, FullDisk) {
  const Scratch scratch;
  const Ran ran =
      run_shell(scratch, "ulimit -f 4000; exec " + program("ranges") + " 8 10000");  // 2 MB
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.result.signal, 0);
  EXPECT_EQ(ran.out, expected_sum());
  EXPECT_NE(ran.err.find("recording stopped"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find('\n'), ran.err.size() - 1) << "said once: " << ran.err;
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.session.state, store::RecordingState::interrupted);
}

TEST(Output, FullDiskFromTheStart) {
  const Scratch scratch;
  const Ran ran = run_shell(scratch, "ulimit -f 40; exec " + program("ranges") + " 8 10000");
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.out, expected_sum());
  EXPECT_NE(ran.err.find("recording stopped"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace mansard::collector
