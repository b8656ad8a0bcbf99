// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_view.h"

#include <QEvent>
#include <QFileDialog>
#include <QMessageBox>
#include <QPainter>
#include <algorithm>
#include <exception>

#include "gui/models/launch_factors.h"
#include "gui/views/drawing_painter.h"
#include "gui/views/painting.h"
#include "gui/views/plane_controls.h"
#include "gui/views/plane_tooltip.h"
#include "gui/views/theme.h"

namespace mansard::gui {

PlaneView::PlaneView(PlaneKind kind, SelectionModel* shared, QWidget* parent)
    : RunView(shared, parent),
      scene_(kind),
      density_(this, [this] { update(); }),
      controls_(new PlaneControls(scene_, this)),
      matching_(this) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(title_of(kind));
  setAttribute(Qt::WA_OpaquePaintEvent);
  connect(shared, &SelectionModel::selected_changed, this, [this] {
    follow_selection();
    update();
  });
  connect(shared, &SelectionModel::hovered_changed, this, [this] { update(); });
  connect(shared, &SelectionModel::shown_changed, this, [this] {
    follow_shown();
    update();
  });
  connect(controls_, &PlaneControls::chosen, this, &PlaneView::set_options);
  connect(controls_, &PlaneControls::machine_wanted, this, &PlaneView::ask_for_machine);
}

PlaneView::~PlaneView() = default;

void PlaneView::set_run(std::shared_ptr<const OpenRun> run) {
  matching_.cancel();
  run_ = std::move(run);
  behind_ = true;
  if (isVisible()) {
    catch_up();
  } else {
    // A hidden view must not keep a closed run in memory.
    scene_.set_run(nullptr);
    density_.set_run(nullptr);
  }
  update();
}

void PlaneView::catch_up() const {
  if (!behind_) return;
  behind_ = false;
  scene_.set_run(run_ ? std::shared_ptr<const analysis::RunAnalysis>(run_, &run_->analysis)
                      : nullptr);
  density_.set_run(run_);
  follow_shown();
  follow_selection();
  controls_->follow();
  fit();
}

const PlaneScene& PlaneView::scene() const {
  catch_up();
  scene_.settle();
  return scene_;
}

void PlaneView::set_baseline(std::shared_ptr<const OpenRun> baseline) {
  matching_.cancel();
  if (behind_ && !baseline) return;  // a new run starts without a baseline
  catch_up();
  const auto show = [this](std::shared_ptr<const PlaneBaseline> made) {
    scene_.set_baseline(std::move(made));
    update();
  };
  if (!run_ || !baseline) return show(nullptr);
  if (scene_.baseline() != nullptr && scene_.baseline()->run == baseline) return;
  if (!takes_long(*run_, *baseline)) return show(plane_baseline(scene_.kind(), run_, baseline));
  show(nullptr);
  matching_.start(
      [kind = scene_.kind(), run = run_, baseline] { return plane_baseline(kind, run, baseline); },
      show);
}

void PlaneView::set_options(const PlaneOptions& options) {
  scene_.set_options(options);
  controls_->follow();
  fit();
  update();
}

QString PlaneView::add_machine(const QString& file) {
  try {
    PlaneOptions options = scene_.options();
    std::erase_if(options.machines, [&](const PlaneMachine& m) { return m.file == file; });
    options.machines.push_back(read_plane_machine(file));
    set_options(options);
    return {};
  } catch (const std::exception& e) {
    return QString::fromUtf8(e.what());
  }
}

void PlaneView::ask_for_machine() {
  const QStringList files = QFileDialog::getOpenFileNames(
      this, tr("Add ceilings from machine models"), {}, tr("Machine models (*.json)"));
  QStringList errors;
  for (const QString& file : files) errors << add_machine(file);
  errors.removeAll(QString());
  if (!errors.isEmpty()) {
    QMessageBox::warning(this, tr("Machine model"), errors.join(QLatin1Char('\n')));
  }
}

void PlaneView::show_everything() {
  scene_.reset_zoom();
  update();
}

void PlaneView::show_all() {
  scene_.show_all();
  update();
}

void PlaneView::follow_selection() const {
  if (behind_) return;
  const auto launch = selection()->selected_launch();
  scene_.set_selected(selection()->selected(),
                      launch && run_ ? std::optional(launch_factor(*run_, *launch)) : std::nullopt);
}

void PlaneView::follow_shown() const {
  if (behind_) return;
  // The selection may belong to another run until this view is updated.
  const bool same = selection()->run() == run_;
  scene_.set_shown(same ? selection()->shown() : std::make_shared<ShownLaunches>());
  density_.set_shown(same ? selection()->shown() : nullptr);
}

void PlaneView::fit() const {
  controls_->fit(width());
  scene_.set_controls(controls_->size());
  scene_.set_size(size(), QFontMetricsF(font()));
}

QString PlaneView::tooltip(const figure::Mark& mark) const { return mark_tooltip(scene(), mark); }

figure::LaunchesNear PlaneView::launches_at(QPointF position) const {
  constexpr double kRadius_px = 3;
  const figure::Point at{position.x(), position.y()};
  if (!scene().shows_launches() || !scene().plot().contains(at)) return {};
  return density_.near(scene(), at, kRadius_px);
}

std::optional<figure::Point> PlaneView::place_of_launch(std::size_t launch) const {
  return density_.place_of_launch(scene(), launch);
}

std::vector<analysis::Table> PlaneView::tables() const {
  // Some columns would be empty for a first look.
  if (scene().run() == nullptr || !run_ || run_->is_first_look) return {};
  return analysis::analysis_registry().find(analysis_of(scene_.kind()))->run(*scene_.run()).tables;
}

const figure::Drawing& PlaneView::drawing(std::optional<std::size_t> hovered) const {
  drawing_.clear(0, 0);  // releases the last raster, whose memory is reused
  scene().draw(drawing_, hovered,
               scene().shows_launches() && run_ ? density_.raster(scene()) : nullptr);
  return drawing_;
}

void PlaneView::paint(QPainter& painter, std::optional<std::size_t> hovered) const {
  const figure::Theme theme = theme_of(palette());
  painter.setFont(font());
  painter.fillRect(rect(), to_qcolor(figure::surface(theme).background));
  gui::paint(painter, drawing(hovered), theme);
  paint_sentence(painter);
}

// Why the plane is empty, placed where it does not cover ceiling names (left and top).
void PlaneView::paint_sentence(QPainter& painter) const {
  const QString text = scene().sentence();
  if (text.isEmpty()) return;
  const figure::Surface& colors = figure::surface(theme_of(palette()));
  const figure::Rect& plot = scene().plot();
  const bool alone = scene().lines().empty();
  const QRectF room = to_qrect(plot).adjusted((alone ? 0.1 : 0.45) * plot.width(),
                                              (alone ? 0 : 0.5) * plot.height(),
                                              (alone ? -0.1 : -0.05) * plot.width(), 0);
  constexpr int kFlags = Qt::AlignCenter | Qt::TextWordWrap;
  const QRectF area = QFontMetricsF(painter.font()).boundingRect(room, kFlags, text);
  QColor ground = to_qcolor(colors.background);
  ground.setAlphaF(0.85F);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRoundedRect(area.adjusted(-8, -4, 8, 4), 4, 4);
  painter.setPen(to_qcolor(colors.text));
  painter.drawText(room, kFlags, text);
}

void PlaneView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint(painter, selection()->hovered());
}

void PlaneView::paint_figure(QPainter& painter) const { paint(painter, std::nullopt); }

void PlaneView::resizeEvent(QResizeEvent*) {
  fit();
  update();
}

void PlaneView::showEvent(QShowEvent* event) {
  catch_up();
  RunView::showEvent(event);
}

void PlaneView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) fit();
  if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) update();
  QWidget::changeEvent(event);
}

}  // namespace mansard::gui
