// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/batch.h"

#include <algorithm>
#include <numeric>

namespace mansard::kernels {

void BatchLayout::group_tokens(std::int32_t* batch) const {
  const std::int32_t* token = tokens(batch);
  std::int32_t* const row = batch + 2 * rows_;
  std::int32_t* const start = row + rows_;
  std::int32_t* const group_token = start + rows_ + 1;
  std::iota(row, row + rows_, 0);
  std::stable_sort(row, row + rows_,
                   [&](std::int32_t a, std::int32_t b) { return token[a] < token[b]; });
  std::int64_t groups = 0;
  for (std::int64_t i = 0; i < rows_; ++i) {
    if (i > 0 && token[row[i]] == token[row[i - 1]]) continue;
    start[groups] = static_cast<std::int32_t>(i);
    group_token[groups++] = token[row[i]];
  }
  std::fill(start + groups, start + rows_ + 1, static_cast<std::int32_t>(rows_));
  std::fill(group_token + groups, group_token + rows_, 0);
}

}  // namespace mansard::kernels
