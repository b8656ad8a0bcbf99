// SPDX-License-Identifier: Apache-2.0
#include "collector/store/load_control.h"

#include <chrono>

#include <gtest/gtest.h>

#include "collector/store/profile.h"
#include "collector/store/sqlite.h"
#include "tests/benchmarks/synthetic_profile.h"
#include "tests/support/scratch.h"

namespace mansard::store {
namespace {

using test::Scratch;

std::filesystem::path made_up(const Scratch& scratch) {
  const std::filesystem::path file = scratch / "run.sqlite";
  benchmark::MadeUpRecording(file, {20000, 20000, 10000}).write();
  return file;
}

TEST(LoadControl, ReportsProgress) {
  const Scratch scratch;
  double last = -1;
  int reports = 0;
  LoadControl control;
  control.progress = [&](std::string_view stage, double fraction) {
    if (stage != "Reading the profile") return;
    EXPECT_GE(fraction, last);
    EXPECT_LE(fraction, 1);
    last = fraction;
    ++reports;
  };
  const Profile profile = load_profile(made_up(scratch), control);
  EXPECT_EQ(profile.kernels.size(), 20000u);
  EXPECT_GT(reports, 5);
  EXPECT_GT(last, 0.8);  // the estimate matches the actual steps
}

TEST(LoadControl, CanBeCanceledAnywhere) {
  const Scratch scratch;
  std::atomic<bool> canceled = false;
  double last = 0;
  LoadControl control;
  control.canceled = &canceled;
  control.progress = [&](std::string_view stage, double fraction) {
    if (stage == "Reading the profile" && fraction > 0.3) canceled = true;
    last = fraction;
  };
  EXPECT_THROW(load_profile(made_up(scratch), control), LoadCanceled);
  EXPECT_GT(last, 0.3);
  EXPECT_LT(last, 0.7);
}

TEST(LoadControl, IsCheckedFirst) {
  const std::atomic<bool> canceled = true;
  EXPECT_THROW(load_profile("none.sqlite", {.canceled = &canceled}), LoadCanceled);
}

TEST(LoadControl, PartIsScaled) {
  double told = 0;
  const LoadControl whole{.progress = [&](std::string_view, double fraction) { told = fraction; }};
  whole.part(0.5, 0.75).report("", 0.5);
  EXPECT_DOUBLE_EQ(told, 0.625);
  EXPECT_FALSE(LoadControl().part(0, 0.5).progress);
}

TEST(LockedFile, IsReportedQuickly) {
  const Scratch scratch;
  const std::filesystem::path file = made_up(scratch);
  Database other(file.string(), Database::Access::read_write);
  other.exec("BEGIN EXCLUSIVE");
  const auto start = std::chrono::steady_clock::now();
  try {
    load_profile(file);
    ADD_FAILURE() << "read a locked file";
  } catch (const std::runtime_error& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("run.sqlite"), std::string::npos) << said;
    EXPECT_NE(said.find("locked by a program"), std::string::npos) << said;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  other.exec("ROLLBACK");
  EXPECT_EQ(load_profile(file).kernels.size(), 20000u);
}

}  // namespace
}  // namespace mansard::store
