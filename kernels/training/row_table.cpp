// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/row_table.h"

#include <algorithm>
#include <cstring>

#include "kernels/recipes/backend.h"

namespace mansard::kernels {
namespace {

// Calls body(begin, end) for runs [begin, end) of `rows` that are within `most` rows of the table.
template <class Body>
void for_runs(const std::vector<std::int32_t>& rows, std::int64_t most, const Body& body) {
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::lower_bound(begin, rows.end(), *begin + most);
    body(begin, end);
    begin = end;
  }
}

}  // namespace

RowTable::RowTable(Backend& backend, float* data, std::int64_t rows, std::int64_t cols,
                   std::int64_t piece_bytes)
    : backend_(&backend),
      data_(data),
      rows_(rows),
      cols_(cols),
      piece_rows_(std::clamp<std::int64_t>(piece_bytes / (4 * cols), 1, rows)) {}

void RowTable::read(const std::vector<std::int32_t>& rows,
                    const std::function<void(std::size_t, const float*)>& visit) const {
  std::vector<float> piece(static_cast<std::size_t>(piece_rows_ * cols_));
  for_runs(rows, piece_rows_, [&](auto begin, auto end) {
    const std::int64_t first = *begin;
    backend_->read(piece.data(), data_ + first * cols_, 4 * cols_ * (end[-1] + 1 - first));
    for (auto row = begin; row != end; ++row) {
      visit(static_cast<std::size_t>(row - rows.begin()), piece.data() + (*row - first) * cols_);
    }
  });
}

void RowTable::write(const std::vector<std::int32_t>& rows, const float* values) const {
  std::vector<float> piece(static_cast<std::size_t>(piece_rows_ * cols_));
  for_runs(rows, piece_rows_, [&](auto begin, auto end) {
    const std::int64_t first = *begin;
    const std::int64_t bytes = 4 * cols_ * (end[-1] + 1 - first);
    backend_->read(piece.data(), data_ + first * cols_, bytes);
    for (auto row = begin; row != end; ++row, values += cols_) {
      std::memcpy(piece.data() + (*row - first) * cols_, values,
                  static_cast<std::size_t>(4 * cols_));
    }
    backend_->write(data_ + first * cols_, piece.data(), bytes);
  });
}

}  // namespace mansard::kernels
