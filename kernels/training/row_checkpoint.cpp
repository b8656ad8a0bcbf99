// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/row_checkpoint.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>

#include "kernels/training/row_table.h"

namespace mansard::kernels {
namespace {

constexpr const char* kRowsTensor = "rows";

// Rows of one table after the other, in the memory of the host.
class PackedRows {
 public:
  PackedRows(const std::vector<CheckpointTensor>& tables, std::vector<std::int32_t> rows,
             Backend& backend)
      : rows_(std::move(rows)) {
    for (const CheckpointTensor& t : tables) {
      tables_.emplace_back(backend, static_cast<float*>(t.data), t.shape[0], t.shape[1]);
      values_.resize(std::max(values_.size(), rows_.size() * static_cast<std::size_t>(t.shape[1])));
    }
    const auto count = static_cast<std::int64_t>(rows_.size());
    tensors_.push_back({kRowsTensor, "I32", {count}, rows_.data(), 4 * count});
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const std::int64_t cols = tables_[i].cols();
      tensors_.push_back({tables[i].name,
                          "F32",
                          {count, cols},
                          values_.data(),
                          4 * count * cols,
                          [this, i] { pack(tables_[i]); },
                          [this, i] { tables_[i].write(rows_, values_.data()); }});
    }
  }
  PackedRows(const PackedRows&) = delete;
  PackedRows& operator=(const PackedRows&) = delete;

  const std::vector<std::int32_t>& rows() const { return rows_; }
  std::vector<CheckpointTensor>& tensors() { return tensors_; }

 private:
  void pack(const RowTable& table) {
    table.read(rows_, [&](std::size_t i, const float* values) {
      const auto cols = static_cast<std::size_t>(table.cols());
      std::memcpy(values_.data() + i * cols, values, 4 * cols);
    });
  }

  std::vector<std::int32_t> rows_;
  std::vector<float> values_;
  std::vector<RowTable> tables_;
  std::vector<CheckpointTensor> tensors_;
};

}  // namespace

void write_rows(const std::filesystem::path& file, const CheckpointInfo& info,
                const std::vector<CheckpointTensor>& tables, const std::vector<std::int32_t>& rows,
                Backend& backend) {
  PackedRows packed(tables, rows, backend);
  write_checkpoint(file, info, packed.tensors(), *make_cpu_backend());
}

CheckpointInfo read_rows(const std::filesystem::path& file, const CheckpointInfo& expected,
                         const std::vector<CheckpointTensor>& tables, Backend& backend) {
  const std::int64_t table_rows = tables.front().shape[0];
  const std::vector<std::int64_t> shape = checkpoint_shape(file, expected, kRowsTensor);
  const auto fail = [&](const std::string& reason) {
    throw DamagedCheckpoint("checkpoint '" + file.string() + "': " + reason);
  };
  if (shape.size() != 1 || shape[0] < 1 || shape[0] > table_rows) {
    fail("its number of rows is impossible for a table of " + std::to_string(table_rows));
  }
  PackedRows packed(tables, std::vector<std::int32_t>(static_cast<std::size_t>(shape[0])), backend);
  packed.tensors().front().store = [&] {
    std::int64_t before = -1;
    for (const std::int32_t row : packed.rows()) {
      if (row <= before || row >= table_rows) {
        fail("its rows are not ascending, or not among the " + std::to_string(table_rows) +
             " of the table");
      }
      before = row;
    }
  };
  return read_checkpoint(file, expected, packed.tensors(), *make_cpu_backend());
}

}  // namespace mansard::kernels
