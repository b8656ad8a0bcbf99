// SPDX-License-Identifier: Apache-2.0
#include "gui/views/slice_names.h"

#include <QFontMetricsF>

#include "gui/views/painting.h"
#include "support/text.h"

namespace mansard::gui {
namespace {

constexpr std::size_t kMostKept = 20'000;
constexpr std::size_t kLongest = 512;  // of names: no screen shows more
constexpr qsizetype kFewest = 4;       // characters, the ellipsis among them
constexpr std::uint64_t kAll = 0xffff;

}  // namespace

void SliceNames::set(std::shared_ptr<const OpenRun> run, const QFont& font) {
  if (run == run_ && font == font_ && height_px_ > 0) return;
  run_ = std::move(run);
  font_ = font;
  height_px_ = QFontMetricsF(font).height();
  whole_.clear();
  fitted_.clear();
}

const SliceNames::Whole& SliceNames::whole(std::uint32_t key) {
  const auto [found, is_new] = whole_.try_emplace(key);
  if (is_new) {
    const std::string_view name = run_->timeline.names[key].text;
    found->second.text = to_qstring(one_line(name.substr(0, kLongest)));
    found->second.width_px = QFontMetricsF(font_).horizontalAdvance(found->second.text);
  }
  return found->second;
}

const QStaticText* SliceNames::fitted(std::uint32_t key, double room_px) {
  const Whole& name = whole(key);
  const auto length = static_cast<double>(name.text.size());
  const bool fits = name.width_px <= room_px;
  const double characters = fits ? 0 : length * room_px / name.width_px;
  if (!fits && characters < static_cast<double>(kFewest)) return nullptr;
  const std::uint64_t count = fits ? kAll : static_cast<std::uint64_t>(characters);
  if (fitted_.size() > kMostKept) fitted_.clear();
  const auto [found, is_new] = fitted_.try_emplace(std::uint64_t{key} << 16 | count);
  QStaticText& text = found->second;
  if (is_new) {
    // Both ends of a name tell kernels apart; of little room its head alone makes better sense.
    constexpr std::uint64_t kLittle = 12;
    QString shown = name.text;
    if (!fits) {
      // As much as fits into the least room that this number of characters stands for.
      const double least_px = static_cast<double>(count) * name.width_px / length;
      shown = QFontMetricsF(font_).elidedText(
          name.text, count < kLittle ? Qt::ElideRight : Qt::ElideMiddle, least_px);
      if (shown.size() < kFewest) shown.clear();
    }
    text.setTextFormat(Qt::PlainText);
    text.setPerformanceHint(QStaticText::AggressiveCaching);
    text.setText(shown);
    text.prepare({}, font_);
  }
  return text.text().isEmpty() ? nullptr : &text;
}

}  // namespace mansard::gui
