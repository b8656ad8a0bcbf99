// SPDX-License-Identifier: Apache-2.0
// The tokens of a micro-batch as the operations read them.
#pragma once

#include <cstdint>

#include "kernels/training/operations.h"

namespace mansard::kernels {

// One array of int32: the tokens, the targets, and the groups of equal tokens.
class BatchLayout {
 public:
  explicit BatchLayout(std::int64_t rows) : rows_(rows) {}
  std::int64_t rows() const { return rows_; }
  std::int64_t bytes() const { return 4 * (5 * rows_ + 1); }

  std::int32_t* tokens(std::int32_t* batch) const { return batch; }
  std::int32_t* targets(std::int32_t* batch) const { return batch + rows_; }
  TokenGroups groups(const std::int32_t* batch) const {
    return {batch + 2 * rows_, batch + 3 * rows_, batch + 4 * rows_ + 1};
  }

  // Computes the groups from the tokens, on the host.
  void group_tokens(std::int32_t* batch) const;

 private:
  std::int64_t rows_;
};

}  // namespace mansard::kernels
