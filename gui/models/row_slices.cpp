// SPDX-License-Identifier: Apache-2.0
#include "gui/models/row_slices.h"

#include "gui/models/launch_slices.h"

namespace mansard {

RowSlices::RowSlices(std::shared_ptr<const OpenRun> run, std::size_t row)
    : run_(std::move(run)), row_(row) {}

const SliceTrack& RowSlices::on(std::size_t track) {
  const auto known = found_.find(track);
  if (known != found_.end()) return known->second;
  return found_.emplace(track, slices_of_row(*run_, track, row_)).first->second;
}

}  // namespace mansard
