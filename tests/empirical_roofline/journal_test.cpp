// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/journal.h"

#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace mansard::roofline {
namespace {

class JournalTest : public ::testing::Test {
 protected:
  const test::Scratch scratch_;
  const std::filesystem::path file_ = scratch_ / "journal.partial";

  static FinishedCampaign campaign(double value) {
    FinishedCampaign c;
    c.measurement.samples = {Sample{.value = value, .clock_hz = 1e9}};
    c.measurement.throttled_by = {"software power cap"};
    c.parameters = {{"tile", "64x256"}};
    c.shape = {8192, 4096};
    return c;
  }
};

TEST_F(JournalTest, FinishedMeasurementsAreReadBack) {
  { Journal(file_, "settings", false).add("gpu", "wgmma_bf16", 0, campaign(9e14)); }
  const Journal journal(file_, "settings", true);
  const FinishedCampaign* found = journal.find("gpu", "wgmma_bf16", 0);
  ASSERT_NE(found, nullptr);
  EXPECT_DOUBLE_EQ(found->measurement.samples.at(0).value, 9e14);
  EXPECT_EQ(found->measurement.throttled_by.count("software power cap"), 1u);
  EXPECT_EQ(found->parameters.at("tile"), "64x256");
  EXPECT_EQ(found->shape, (std::vector<std::int64_t>{8192, 4096}));
  EXPECT_EQ(journal.find("gpu", "wgmma_bf16", 1), nullptr);
  EXPECT_EQ(journal.find("other gpu", "wgmma_bf16", 0), nullptr);
}

// A run that is killed while it writes leaves a partial line. The lines before it, and those added
// later, are still read.
TEST_F(JournalTest, APartialLineLosesOnlyItself) {
  { Journal(file_, "settings", false).add("gpu", "a", 0, campaign(1)); }
  std::ofstream(file_, std::ios::app) << R"({"device":"gpu","step":"b","camp)";
  {
    Journal journal(file_, "settings", true);
    EXPECT_EQ(journal.size(), 1u);
    journal.add("gpu", "c", 0, campaign(3));
  }
  const Journal again(file_, "settings", true);
  EXPECT_EQ(again.size(), 2u);
  EXPECT_NE(again.find("gpu", "c", 0), nullptr);
}

TEST_F(JournalTest, DifferentSettingsAreRefused) {
  { Journal(file_, "one", false).add("gpu", "a", 0, campaign(1)); }
  try {
    Journal(file_, "two", true);
    FAIL() << "results of other settings were taken";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(file_.string()), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("one"), std::string::npos);
  }
}

TEST_F(JournalTest, AForeignFileIsRefused) {
  std::ofstream(file_) << "hello\n";
  EXPECT_THROW(Journal(file_, "settings", true), std::runtime_error);
}

TEST_F(JournalTest, WithoutResumeItStartsOverAndRemoveDeletesIt) {
  { Journal(file_, "settings", false).add("gpu", "a", 0, campaign(1)); }
  Journal journal(file_, "settings", false);
  EXPECT_EQ(journal.size(), 0u);
  journal.remove();
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(JournalTest, AnUnwritableFileIsNamed) {
  try {
    Journal("/nonexistent/folder/x.partial", "settings", false);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/folder"), std::string::npos);
  }
}

}  // namespace
}  // namespace mansard::roofline
