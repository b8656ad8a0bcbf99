// SPDX-License-Identifier: Apache-2.0
// Row files of any tables: their content, damage, and their place in a folder.
#include "kernels/training/row_checkpoint.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "kernels/recipes/backend.h"
#include "tests/kernels/training/tensor_file.h"
#include "tests/support/scratch.h"

namespace mansard::kernels {
namespace {

namespace fs = std::filesystem;

class RowFiles : public testing::Test {
 protected:
  static constexpr std::int64_t kRows = 10;

  // Two tables with different numbers of columns, and values from `first` on.
  struct Tables {
    explicit Tables(float first) : a(kRows * 3), b(kRows * 5) {
      std::iota(a.begin(), a.end(), first);
      std::iota(b.begin(), b.end(), first + 1000);
    }
    std::vector<CheckpointTensor> tensors() {
      return {{"a", "F32", {kRows, 3}, a.data(), 4 * kRows * 3},
              {"b", "F32", {kRows, 5}, b.data(), 4 * kRows * 5}};
    }
    std::vector<float> a, b;
  };

  // The error of reading `file_`; nothing may have been replaced.
  std::string error_of_reading(bool damaged, const CheckpointInfo& expected) {
    Tables tables(0);
    const Tables before = tables;
    std::string error;
    try {
      read_rows(file_, expected, tables.tensors(), *backend_);
    } catch (const DamagedCheckpoint& e) {
      EXPECT_TRUE(damaged) << e.what();
      error = e.what();
    } catch (const std::runtime_error& e) {
      EXPECT_FALSE(damaged) << e.what();
      error = e.what();
    }
    EXPECT_TRUE(tables.a == before.a && tables.b == before.b);
    EXPECT_NE(error.find(file_.string()), std::string::npos) << error;
    return error;
  }
  void expect_error(bool damaged, const std::string& text) {
    const std::string error = error_of_reading(damaged, info_);
    EXPECT_NE(error.find(text), std::string::npos) << error;
  }

  test::Scratch scratch_;
  fs::path file_ = scratch_ / "rows-00000012.safetensors";
  std::unique_ptr<Backend> backend_ = make_cpu_backend();
  CheckpointInfo info_{12, 34, 5, 6, "model", "recipe"};
};

TEST_F(RowFiles, ReplaceTheRowsThatTheyHave) {
  Tables source(0), target(5000);
  const Tables before = target;
  const std::vector<std::int32_t> rows = {0, 4, 5, 9};
  write_rows(file_, info_, source.tensors(), rows, *backend_);
  EXPECT_EQ(rows_of(file_), rows);
  const CheckpointInfo read = read_rows(file_, info_, target.tensors(), *backend_);
  EXPECT_EQ(read.step, 12);
  for (std::int32_t row = 0; row < kRows; ++row) {
    const bool is_saved = std::find(rows.begin(), rows.end(), row) != rows.end();
    const Tables& expected = is_saved ? source : before;
    for (std::size_t c = 0; c < 5; ++c) {
      const auto r = static_cast<std::size_t>(row);
      if (c < 3) {
        EXPECT_EQ(target.a[3 * r + c], expected.a[3 * r + c]) << row;
      }
      EXPECT_EQ(target.b[5 * r + c], expected.b[5 * r + c]) << row;
    }
  }
}

TEST_F(RowFiles, DamageIsNotAnotherRun) {
  Tables source(7);
  write_rows(file_, info_, source.tensors(), {1, 2, 3}, *backend_);
  const std::string good = content_of(file_);
  const auto damaged_at = [&](std::size_t at) {
    std::string content = good;
    content[at] = static_cast<char>(content[at] ^ 1);
    return content;
  };
  std::string many_rows = good;
  many_rows.replace(many_rows.find("\"shape\":[3]"), 11, "\"shape\":[9]");
  std::string no_rows = many_rows;
  no_rows.replace(no_rows.find("\"shape\":[9]"), 11, "\"shape\":[0]");
  for (const auto& [content, text] : std::vector<std::pair<std::string, std::string>>{
           {damaged_at(good.size() - 1), "does not match its checksum"},
           {damaged_at(good.size() - 4 * 3 * 8 - 10), "does not match its checksum"},
           {good.substr(0, good.size() - 1), "truncated or damaged"},
           {good + "x", "truncated or damaged"},
           {good.substr(0, 100), "truncated"},
           {"", "no header"},
           {std::string(good.size(), '\0'), "header is damaged"},
           {std::string(4096, 'x'), "not a safetensors file"},
           {many_rows, "truncated or damaged"},
           {no_rows, "number of rows is impossible"}}) {
    write_content(file_, content);
    expect_error(true, text);
  }
  write_content(file_, good);
  for (const auto& [change, text] :
       std::vector<std::pair<std::function<void(CheckpointInfo&)>, std::string>>{
           {[](CheckpointInfo& i) { i.seed = 8; }, "another seed: 5; this run has: 8"},
           {[](CheckpointInfo& i) { i.data_fingerprint = 8; }, "another training data"},
           {[](CheckpointInfo& i) { i.model = "other"; }, "another model"},
           {[](CheckpointInfo& i) { i.recipes = "other"; }, "another recipe"}}) {
    CheckpointInfo expected = info_;
    change(expected);
    const std::string error = error_of_reading(false, expected);
    EXPECT_NE(error.find(text), std::string::npos) << error;
  }
  const std::string other = R"({"__metadata__":{"format":"pt"}} )";
  write_content(file_, std::string{static_cast<char>(other.size()), 0, 0, 0, 0, 0, 0, 0} + other);
  expect_error(false, "not a checkpoint of 'mansard train'");
  write_checkpoint(file_, info_, source.tensors(), *backend_);
  expect_error(false, "has no tensor 'rows'");
  fs::remove(file_);
  fs::create_directory(file_);
  expect_error(false, "");
}

TEST_F(RowFiles, ImpossibleRowsAreNotWritten) {
  Tables source(7);
  for (std::vector<std::int32_t> rows :
       std::vector<std::vector<std::int32_t>>{{1, 1, 2}, {3, 2, 1}, {-1, 0, 1}, {0, 1, kRows}}) {
    const auto count = static_cast<std::int64_t>(rows.size());
    write_checkpoint(file_, info_,
                     {{"rows", "I32", {count}, rows.data(), 4 * count},
                      {"a", "F32", {count, 3}, source.a.data(), 4 * count * 3},
                      {"b", "F32", {count, 5}, source.b.data(), 4 * count * 5}},
                     *backend_);
    expect_error(true, "not ascending, or not among the 10");
  }
}

TEST_F(RowFiles, BelongToTheCheckpointBeforeThem) {
  const auto touch = [&](const fs::path& file) { write_content(file, ""); };
  const fs::path folder = scratch_.folder();
  const auto names = [&] {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder)) {
      all.push_back(entry.path().filename().string());
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  for (const std::int64_t step : {80, 100, 120, 140, 100000000}) touch(row_file(folder, step));
  EXPECT_TRUE(newer_row_files(folder).empty()) << "there is no checkpoint";
  remove_old_checkpoints(folder, 1);
  EXPECT_EQ(names().size(), 5u);
  touch(checkpoint_file(folder, 60));
  touch(checkpoint_file(folder, 100));
  touch(folder / "rows-1x.safetensors");
  touch(folder / "rows-00000120.safetensors.unfinished.999999999");
  EXPECT_EQ(newer_row_files(folder),
            (std::vector<fs::path>{row_file(folder, 120), row_file(folder, 140),
                                   folder / "rows-100000000.safetensors"}));
  EXPECT_EQ(newest_checkpoint(folder), checkpoint_file(folder, 100));
  remove_old_checkpoints(folder, 1);
  EXPECT_EQ(names(),
            (std::vector<std::string>{"rows-00000120.safetensors", "rows-00000140.safetensors",
                                      "rows-100000000.safetensors", "rows-1x.safetensors",
                                      "step-00000100.safetensors"}));
}

}  // namespace
}  // namespace mansard::kernels
