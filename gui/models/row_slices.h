// SPDX-License-Identifier: Apache-2.0
// The launches of one row of a run, where they are on its timeline. Looked for on the tracks that
// are asked for, once each.
#pragma once

#include <map>
#include <memory>

#include "gui/models/open_run.h"

namespace mansard {

class RowSlices {
 public:
  RowSlices(std::shared_ptr<const OpenRun> run, std::size_t row);

  std::size_t row() const { return row_; }
  const std::shared_ptr<const OpenRun>& run() const { return run_; }
  const SliceTrack& on(std::size_t track);

 private:
  std::shared_ptr<const OpenRun> run_;
  std::size_t row_;
  std::map<std::size_t, SliceTrack> found_;  // by track
};

}  // namespace mansard
