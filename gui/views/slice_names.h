// SPDX-License-Identifier: Apache-2.0
// Names that fit their boxes, laid out once: a frame may show a thousand of them.
#pragma once

#include <QFont>
#include <QStaticText>
#include <memory>
#include <unordered_map>

#include "gui/models/open_run.h"

namespace mansard::gui {

class SliceNames {
 public:
  // What was laid out before is forgotten if either is another one.
  void set(std::shared_ptr<const OpenRun> run, const QFont& font);

  // Of a key of the timeline, at most `room_px` wide, shortened where need be; null: not even a few
  // characters fit.
  const QStaticText* fitted(std::uint32_t key, double room_px);
  double height_px() const { return height_px_; }

 private:
  struct Whole {
    QString text;
    double width_px = 0;
  };
  const Whole& whole(std::uint32_t key);

  std::shared_ptr<const OpenRun> run_;
  QFont font_;
  double height_px_ = 0;
  std::unordered_map<std::uint32_t, Whole> whole_;
  std::unordered_map<std::uint64_t, QStaticText> fitted_;  // by key and number of characters
};

}  // namespace mansard::gui
