// SPDX-License-Identifier: Apache-2.0
// Annotations of training in marks, with and without Mansard's tables.
#include <cmath>

#include <gtest/gtest.h>

#include "collector/store/profile_writer.h"
#include "collector/store/sqlite.h"
#include "tests/collector/sample.h"
#include "tests/support/scratch.h"

namespace mansard::store {
namespace {

using test::Scratch;

NvtxRecord mark(std::int64_t start_ns, const std::string& text) {
  NvtxRecord record;
  record.type = NvtxEventType::mark;
  record.start_ns = start_ns;
  record.text = text;
  return record;
}

kernels::TensorNumerics numerics_of(std::int64_t step, const std::string& layer) {
  kernels::TensorNumerics n{step, layer, "x", "fprop"};
  n.format = Precision::nvfp4;
  n.elements = 1 << 20;
  n.amax = 3.5;
  n.rms = 0.1;
  n.underflow = 0.25;
  n.saturated = 0.0;
  n.snr_db = -1.5;
  return n;
}

// Not in the order of steps, as the ranks of a merged profile.
std::vector<kernels::TensorNumerics> some_numerics() {
  std::vector<kernels::TensorNumerics> all = {numerics_of(4, "layers.0.mlp.in"),
                                              numerics_of(0, "layers.0.mlp.in"),
                                              numerics_of(4, "layers 1 | odd")};
  all[2].format.reset();
  all[2].underflow.reset();
  all[2].saturated.reset();
  all[2].snr_db.reset();
  all[2].shares = {{0.5, 0.25, 0.25}};
  return all;
}

void write(const std::filesystem::path& file) {
  ProfileWriter writer(file, test::sample_session());
  const auto all = some_numerics();
  for (std::size_t i = 0; i < all.size(); ++i) {
    writer.add(mark(static_cast<std::int64_t>(100 * i), to_text(all[i])));
  }
  writer.add(mark(300, to_text(kernels::TrainingProgress{4, 500, 5.5, 6.25, 1e-4, 0.5})));
  NvtxRecord registered = mark(310, "");
  registered.text_id =
      writer.intern(to_text(kernels::TrainingProgress{0, 100, std::nan(""), {}, 0, 2}));
  writer.add(registered);
  NvtxRecord range = mark(320, to_text(all[0]));
  range.type = NvtxEventType::push_pop;  // annotations of training are marks
  writer.add(range);
  writer.finish(RecordingState::complete);
}

void check(const Profile& p) {
  const auto all = some_numerics();
  ASSERT_EQ(p.tensor_numerics.size(), 3u);
  EXPECT_EQ(p.tensor_numerics[0].numerics, all[1]);
  EXPECT_EQ(p.tensor_numerics[1].numerics, all[0]);
  EXPECT_EQ(p.tensor_numerics[2].numerics, all[2]);
  EXPECT_EQ(p.tensor_numerics[0].event, p.nvtx[1].row_id);
  ASSERT_EQ(p.training_steps.size(), 2u);
  const kernels::TrainingProgress& first = p.training_steps[0].step;
  EXPECT_EQ(first.step, 0);
  EXPECT_EQ(first.tokens, 100);
  EXPECT_TRUE(std::isnan(first.loss)) << "not 0";
  EXPECT_EQ(first.validation_loss, std::nullopt);
  EXPECT_EQ(p.training_steps[1].step, (kernels::TrainingProgress{4, 500, 5.5, 6.25, 1e-4, 0.5}));
  EXPECT_EQ(p.training_steps[0].event, p.nvtx[4].row_id);
  EXPECT_EQ(p.work.size(), 0u);
}

TEST(TrainingRecords, RoundTrip) {
  const Scratch scratch;
  write(scratch / "a.sqlite");
  check(load_profile(scratch / "a.sqlite"));
  Database database((scratch / "a.sqlite").string(), Database::Access::read_only);
  Statement row = database.prepare(
      "SELECT s.value, t.snrDb FROM MANSARD_TENSOR_NUMERICS t JOIN StringIds s ON s.id = t.layerId "
      "JOIN NVTX_EVENTS n ON n.rowid = t.eventId AND n.start = 100");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.text(0), "layers.0.mlp.in");
  EXPECT_EQ(row.real(1), -1.5);
}

TEST(TrainingRecords, OtherToolsFilesHaveOnlyTexts) {
  const Scratch scratch;
  write(scratch / "a.sqlite");
  {
    Database database((scratch / "a.sqlite").string(), Database::Access::read_write);
    database.exec(
        "DROP TABLE MANSARD_STATE; DROP TABLE MANSARD_TENSOR_NUMERICS; DROP TABLE "
        "MANSARD_TRAINING_STEP");
  }
  check(load_profile(scratch / "a.sqlite"));
}

}  // namespace
}  // namespace mansard::store
