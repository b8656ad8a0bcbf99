// SPDX-License-Identifier: Apache-2.0
#include "gui/views/step_strip.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/models/row_facts.h"
#include "gui/views/drawing_painter.h"
#include "gui/views/painting.h"
#include "gui/views/theme.h"
#include "gui/views/view_keys.h"
#include "reports/figure/axis_styles.h"
#include "reports/figure/timeline_drawing.h"

namespace mansard::gui {
namespace {

using figure::Surface;

constexpr double kBars_px = 30;
constexpr double kStripMargin_px = 4;
constexpr double kMaxBar_px = 60;  // few steps do not fill the width
// Steps that are longer by more than this factor have bars of full height, with a gap below the
// top: a step that loads data or reads counters would flatten all others.
constexpr double kFull = 2;

double median_ns(const analysis::DeviceSteps& device) {
  std::vector<std::int64_t> durations;
  for (const analysis::Step& step : device.steps) durations.push_back(step.duration_ns());
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::ranges::nth_element(durations, middle);
  return static_cast<double>(*middle);
}

bool is_typical(const analysis::DeviceSteps& device, std::size_t step) {
  return std::ranges::binary_search(device.typical, step);
}

}  // namespace

StepStrip::StepStrip(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Steps"));
  setAccessibleDescription(tr("Left and right choose a step"));
  setCursor(Qt::PointingHandCursor);
  hide();
}

void StepStrip::set_steps(std::shared_ptr<const OpenRun> run) {
  run_ = std::move(run);
  device_ = nullptr;
  current_.reset();
  if (run_ && !run_->timeline.empty()) {
    auto found = std::ranges::find_if(run_->steps, &analysis::DeviceSteps::has_typical);
    if (found == run_->steps.end()) {
      found = std::ranges::find_if(run_->steps, [](const auto& d) { return !d.steps.empty(); });
    }
    if (found != run_->steps.end() && found->steps.size() > 1) device_ = &*found;
  }
  if (device_ != nullptr) {
    const double typical_s = device_->has_typical() ? device_->mean_step_s() : 0;
    full_ns_ = std::max(1.0, kFull * (typical_s > 0 ? typical_s * 1e9 : median_ns(*device_)));
  }
  setVisible(device_ != nullptr);
  update();
}

void StepStrip::set_plot(double left_px, double right_px) {
  left_px_ = left_px;
  right_px_ = std::max(right_px, left_px + 1);
  update();
}

void StepStrip::set_visible_span(const figure::TimeSpan& span) {
  const auto now = device_ == nullptr ? std::optional<std::size_t>() : step_of(span);
  if (now == current_) return;
  current_ = now;
  update();
}

// The last step that starts at or before the middle.
std::size_t StepStrip::step_of(const figure::TimeSpan& span) const {
  const std::int64_t middle = span.start_ns + (span.end_ns - span.start_ns) / 2;
  const auto after =
      std::ranges::upper_bound(device_->steps, middle, {}, &analysis::Step::start_ns);
  return after == device_->steps.begin()
             ? 0
             : static_cast<std::size_t>(after - device_->steps.begin()) - 1;
}

std::optional<figure::TimeSpan> StepStrip::neighbor(const figure::TimeSpan& span, int by) const {
  if (device_ == nullptr) return std::nullopt;
  const auto next = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(step_of(span)) + by, 0,
                                               static_cast<std::ptrdiff_t>(count()) - 1);
  const analysis::Step& step = device_->steps[static_cast<std::size_t>(next)];
  return figure::TimeSpan{step.start_ns, step.end_ns};
}

QSize StepStrip::sizeHint() const {
  return {200, static_cast<int>(std::ceil(kBars_px + 2 * kStripMargin_px))};
}

figure::Rect StepStrip::bar(std::size_t step) const {
  const double pitch = std::min(kMaxBar_px, (right_px_ - left_px_) / static_cast<double>(count()));
  const double gap = pitch >= 4 ? 1 : 0;
  const double share =
      std::min(1.0, static_cast<double>(device_->steps[step].duration_ns()) / full_ns_);
  const double bottom = kStripMargin_px + kBars_px;
  const double left = left_px_ + pitch * static_cast<double>(step);
  return {left, bottom - std::max(2.0, share * kBars_px), left + pitch - gap, bottom};
}

std::optional<std::size_t> StepStrip::step_at(double x_px) const {
  if (device_ == nullptr || x_px < left_px_) return std::nullopt;
  const double pitch = std::min(kMaxBar_px, (right_px_ - left_px_) / static_cast<double>(count()));
  const auto step = static_cast<std::size_t>((x_px - left_px_) / pitch);
  return step < count() ? std::optional(step) : std::nullopt;
}

QString StepStrip::text_of(std::size_t step) const {
  const analysis::Step& shown = device_->steps[step];
  const QString kind = is_typical(*device_, step) ? tr("typical")
                       : shown.readings > 0       ? tr("counters read")
                                                  : tr("not typical");
  return tr("%1: %2, %3").arg(to_qstring(shown.name), duration_text(shown.duration_ns()), kind);
}

figure::Drawing StepStrip::draw() const {
  figure::Drawing out(width(), height());
  out.rect({0, 0, static_cast<double>(width()), static_cast<double>(height())},
           surface_fill(out, &Surface::background));
  const figure::StyleId typical = surface_fill(out, &Surface::compute);
  const figure::StyleId other = surface_fill(out, &Surface::faint_text, 0.45F);
  const figure::StyleId background = surface_fill(out, &Surface::background);
  const figure::StyleId outline =
      out.style(figure::stroked(figure::surface_ink(&Surface::faint_text), 1));
  // With more steps than pixels, the longest one of each pixel is drawn.
  double drawn_px = left_px_ - 1;
  for (std::size_t i = 0; i < count(); ++i) {
    figure::Rect box = figure::snapped(bar(i));
    if (box.left <= drawn_px && box.width() <= 1 && i != current_) {
      const figure::Rect before = figure::snapped(bar(i - 1));
      if (box.top >= before.top) continue;
    }
    drawn_px = box.left;
    if (device_->steps[i].readings > 0) {
      const figure::Rect inner{box.left + 0.5, box.top + 0.5, box.right - 0.5, box.bottom - 0.5};
      out.rect(inner, outline);
    } else {
      out.rect(box, is_typical(*device_, i) ? typical : other);
    }
    if (static_cast<double>(device_->steps[i].duration_ns()) > full_ns_) {
      out.rect({box.left, box.top + 4, box.right, box.top + 7}, background);
    }
  }
  if (current_) {
    figure::Rect box = figure::snapped(bar(*current_));
    const figure::StyleId accent = surface_fill(out, &Surface::accent);
    out.rect({box.left - 1, box.bottom + 1, std::max(box.right, box.left + 3) + 1, box.bottom + 4},
             accent);
    if (box.width() >= 2) out.rect(box, surface_fill(out, &Surface::accent, 0.75F));
  }
  return out;
}

void StepStrip::paintEvent(QPaintEvent*) {
  if (device_ == nullptr) return;
  QPainter painter(this);
  painter.setFont(font());
  const figure::Theme theme = theme_of(palette());
  gui::paint(painter, draw(), theme);
  const figure::Surface& colors = figure::surface(theme);
  // Two lines beside the bars, right-aligned like the labels of the rows below.
  const QRectF label(4, 0, std::max(0.0, left_px_ - 12), height());
  const auto line = [&](const QString& text, Qt::Alignment place, const figure::Rgb& color) {
    painter.setPen(to_qcolor(color));
    painter.drawText(
        label, static_cast<int>(Qt::AlignRight | place),
        painter.fontMetrics().elidedText(text, Qt::ElideMiddle, static_cast<int>(label.width())));
  };
  if (current_) {
    const analysis::Step& step = device_->steps[*current_];
    line(to_qstring(step.name), Qt::AlignTop, colors.text);
    line(duration_text(step.duration_ns()), Qt::AlignBottom, colors.faint_text);
  }
  if (hasFocus()) {
    painter.setPen(to_qcolor(colors.accent));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void StepStrip::choose(std::size_t step) {
  const analysis::Step& to = device_->steps[step];
  current_ = step;
  update();
  Q_EMIT chosen({to.start_ns, to.end_ns});
}

void StepStrip::mousePressEvent(QMouseEvent* event) {
  const auto step = step_at(event->position().x());
  if (event->button() == Qt::LeftButton && step) choose(*step);
}

void StepStrip::keyPressEvent(QKeyEvent* event) {
  if (device_ == nullptr || is_shortcut(*event)) return QWidget::keyPressEvent(event);
  const std::size_t now = current_.value_or(0);
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_BracketLeft:
      return choose(now > 0 ? now - 1 : 0);
    case Qt::Key_Right:
    case Qt::Key_BracketRight:
      return choose(std::min(now + 1, count() - 1));
    case Qt::Key_Home:
      return choose(0);
    case Qt::Key_End:
      return choose(count() - 1);
    default:
      QWidget::keyPressEvent(event);  // the timeline's keys
  }
}

bool StepStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const auto step = step_at(help->pos().x());
  if (step) {
    QToolTip::showText(help->globalPos(), text_of(*step), this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

}  // namespace mansard::gui
