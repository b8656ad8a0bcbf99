// SPDX-License-Identifier: Apache-2.0
// Rows of a matrix in a backend's memory, for the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace mansard::kernels {

class Backend;

// A matrix of FP32. A transfer moves consecutive rows, from one of the given rows to another,
// because thousands of transfers of single rows take longer than those between them.
class RowTable {
 public:
  static constexpr std::int64_t kPieceBytes = std::int64_t{16} << 20;

  // A transfer has at most `piece_bytes`, but at least one row.
  RowTable(Backend& backend, float* data, std::int64_t rows, std::int64_t cols,
           std::int64_t piece_bytes = kPieceBytes);

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }

  // Calls visit(i, values of rows[i]) for each i in order. `rows` must be ascending.
  void read(const std::vector<std::int32_t>& rows,
            const std::function<void(std::size_t, const float*)>& visit) const;
  // Replaces these rows by `values`, one after the other. `rows` must be ascending.
  void write(const std::vector<std::int32_t>& rows, const float* values) const;

 private:
  Backend* backend_;
  float* data_;
  std::int64_t rows_, cols_;
  std::int64_t piece_rows_;
};

}  // namespace mansard::kernels
