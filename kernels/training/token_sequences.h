// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/training/token_data.h"

namespace mansard::kernels {

// Cuts a stream of tokens into windows of length + 1 tokens that advance by `length`: the last
// token of a window is the first of the next. Tokens after the last whole window are not used. A
// window gives a sequence of inputs and, one token later, its targets.
//
// Training windows are visited in a pseudo-random order, which differs between epochs and depends
// only on the seed and the number of windows. A position is one integer that counts windows across
// epochs, so a resumed run continues exactly. Validation windows are visited in order.
class TokenSequences {
 public:
  enum class Split { training, validation };
  // Which windows are for validation; the others are for training.
  enum class Validation {
    every_50th,  // the windows 49, 99, ...
    none,        // for training data with validation data of its own
    all,         // for that validation data
  };

  // `data` must outlive this object. Throws std::runtime_error if it is shorter than one window.
  TokenSequences(const TokenData& data, std::int64_t length, std::uint64_t seed,
                 Validation validation = Validation::every_50th);

  const TokenData& data() const { return data_; }
  std::int64_t length() const { return length_; }
  // Number of windows; for training, of an epoch. May be 0 for validation: with fewer than 50
  // windows, Validation::every_50th holds none out.
  std::int64_t windows(Split split) const;
  // The window at a position in the order of visits. Positions of validation are less than
  // windows(); those of training continue in the next epoch.
  std::int64_t window(Split split, std::int64_t position) const;

  // Writes `length` inputs and `length` targets of the window at `position`. Throws
  // std::out_of_range if there is no such window, and what TokenData::read() throws. Several
  // threads may call it.
  void read(Split split, std::int64_t position, std::int32_t* inputs, std::int32_t* targets) const;

 private:
  const TokenData& data_;
  std::int64_t length_;
  std::uint64_t seed_;
  Validation validation_;
  std::int64_t windows_;
};

}  // namespace mansard::kernels
