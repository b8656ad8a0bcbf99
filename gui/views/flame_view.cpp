// SPDX-License-Identifier: Apache-2.0
#include "gui/views/flame_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/views/drawing_painter.h"
#include "gui/views/painting.h"
#include "gui/views/table_page.h"
#include "gui/views/theme.h"
#include "gui/views/view_keys.h"

namespace mansard::gui {

// The figure, which scrolls if the ranges are nested deeply.
class FlameCanvas : public QWidget {
 public:
  explicit FlameCanvas(FlameView* view) : view_(view) {
    setMouseTracking(true);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
  }

  const figure::FlameGraph& graph() const {
    if (!graph_ || graph_->width != width()) graph_ = lay_out(width());
    return *graph_;
  }
  figure::FlameGraph lay_out(double width_px) const {
    if (!view_->tree_ || view_->tree_->paths.empty()) return {};
    return figure::layout_flame_graph(*view_->tree_, view_->root_, width_px, measure_in(font()));
  }
  void forget_layout() {
    graph_.reset();
    updateGeometry();
    update();
  }

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width_px) const override {
    return static_cast<int>(std::ceil(lay_out(width_px).height));
  }
  QSize sizeHint() const override { return {640, heightForWidth(640)}; }
  QSize minimumSizeHint() const override { return {200, 40}; }

 protected:
  bool event(QEvent* event) override {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const auto path = path_at(help->pos())) {
      QToolTip::showText(help->globalPos(), to_qstring(figure::describe(*view_->tree_, *path)),
                         this);
    } else {
      QToolTip::hideText();
      event->ignore();
    }
    return true;
  }
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const figure::Theme theme = theme_of(palette());
    painter.fillRect(rect(), to_qcolor(figure::surface(theme).background));
    if (view_->tree_) {
      paint(painter, figure::draw(graph(), *view_->tree_, view_->marked()), theme);
    }
  }
  void changeEvent(QEvent* event) override {
    if (event->type() == QEvent::FontChange) forget_layout();
    QWidget::changeEvent(event);
  }
  void mouseMoveEvent(QMouseEvent* event) override {
    setCursor(path_at(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
  }
  void mouseReleaseEvent(QMouseEvent* event) override {
    if (event->button() != Qt::LeftButton || std::exchange(double_clicked_, false)) return;
    before_click_ = view_->selection()->filter();
    if (const auto path = path_at(event->position())) view_->filter_by(*path);
  }
  // The first click has filtered: a double click only zooms.
  void mouseDoubleClickEvent(QMouseEvent* event) override {
    if (event->button() != Qt::LeftButton) return;
    double_clicked_ = true;
    view_->selection()->set_filter(before_click_);
    if (const auto path = path_at(event->position())) view_->show_path(*path);
  }

 private:
  std::optional<std::size_t> path_at(QPointF position) const {
    for (const figure::FlameBox& box : graph().boxes) {
      if (box.rect.contains(to_point(position))) return box.path;
    }
    return std::nullopt;
  }

  FlameView* view_;
  mutable std::optional<figure::FlameGraph> graph_;
  ViewFilter before_click_;
  bool double_clicked_ = false;
};

FlameView::FlameView(SelectionModel* shared, QWidget* parent)
    : RunView(shared, parent),
      stack_(new QStackedWidget(this)),
      message_(new QLabel(this)),
      explanation_(new QLabel(this)),
      canvas_(new FlameCanvas(this)) {
  message_->setAlignment(Qt::AlignCenter);
  message_->setWordWrap(true);
  message_->setMargin(24);
  explanation_->setWordWrap(true);
  explanation_->setContentsMargins(12, 8, 12, 4);
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(explanation_);
  column->addWidget(scrolled(canvas_, content), 1);
  stack_->addWidget(message_);
  stack_->addWidget(content);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Flame graph of NVTX ranges"));
  connect(shared, &SelectionModel::filter_changed, canvas_, qOverload<>(&QWidget::update));
  show_tree();
}

QWidget* FlameView::canvas() const { return canvas_; }
const figure::FlameGraph& FlameView::graph() const { return canvas_->graph(); }

void FlameView::set_run(std::shared_ptr<const OpenRun> run) {
  if (!same_recording(run_.get(), run.get())) root_ = 0;
  run_ = std::move(run);
  tree_ = nullptr;
  computing_ = false;
  background_.cancel();
  show_tree();
  if (isVisible()) compute();
}

void FlameView::showEvent(QShowEvent* event) {
  RunView::showEvent(event);
  compute();
}

// Computed only when displayed: it visits all launches.
void FlameView::compute() {
  if (!run_ || tree_ || computing_) return;
  computing_ = true;
  background_.start(
      [run = run_] {
        return std::make_shared<const analysis::RangeTree>(analysis::range_tree(run->analysis));
      },
      [this](std::shared_ptr<const analysis::RangeTree> tree) {
        tree_ = std::move(tree);
        computing_ = false;
        show_tree();
      });
}

void FlameView::show_tree() {
  const bool shown = tree_ && !tree_->paths.empty();
  stack_->setCurrentIndex(shown ? 1 : 0);
  if (!run_) {
    message_->setText(no_run_text());
  } else if (!tree_) {
    message_->setText(tr("Reading the ranges ..."));
  } else if (!shown) {
    message_->setText(tr("No kernel was launched in an NVTX range."));
  }
  if (!shown) return canvas_->forget_layout();
  if (root_ >= tree_->paths.size()) root_ = 0;
  const std::string of = tree_->by_step ? "a typical step" : "the profile";
  explanation_->setText(
      tr("Width: device time of the kernels of %1 that were launched in a range. Color: the class "
         "with more than half of that time (gray: no class). Click: filter; double click: zoom.")
          .arg(to_qstring(of)));
  canvas_->forget_layout();
}

void FlameView::show_path(std::size_t path) {
  if (!tree_ || path >= tree_->paths.size()) return;
  root_ = path;
  canvas_->forget_layout();
}

// A second click on the same range, and one on the root, removes the filter.
void FlameView::filter_by(std::size_t path) {
  ViewFilter filter = selection()->filter();
  const QString name = path == 0 ? QString() : to_qstring(tree_->paths[path].name);
  filter.range = filter.range == name ? QString() : name;
  selection()->set_filter(filter);
}

std::optional<std::size_t> FlameView::marked() const {
  const QString& range = selection()->filter().range;
  if (range.isEmpty() || !tree_) return std::nullopt;
  for (const figure::FlameBox& box : graph().boxes) {
    if (box.path != 0 && to_qstring(tree_->paths[box.path].name) == range) return box.path;
  }
  return std::nullopt;
}

void FlameView::keyPressEvent(QKeyEvent* event) {
  if (!handle_view_key(*this, *selection(), *event)) RunView::keyPressEvent(event);
}

QString FlameView::message() const {
  return stack_->currentIndex() == 0 ? message_->text() : QString();
}

void FlameView::paint_figure(QPainter& painter) const {
  const figure::Theme theme = theme_of(palette());
  painter.fillRect(rect(), to_qcolor(figure::surface(theme).background));
  if (!tree_ || tree_->paths.empty()) return;
  painter.setFont(font());
  const figure::FlameGraph whole = canvas_->lay_out(width());
  // A figure that scrolls on the screen is scaled down.
  const double scale = std::min(1.0, height() / whole.height);
  painter.save();
  painter.scale(scale, scale);
  paint(painter, figure::draw(whole, *tree_, marked()), theme);
  painter.restore();
}

std::vector<analysis::Table> FlameView::tables() const {
  if (!tree_ || tree_->paths.empty()) return {};
  using enum analysis::CellFormat;
  analysis::Table table{
      "range_paths",
      tree_->by_step ? "Device time by range path, per step" : "Device time by range path",
      {{"path", "path", text, "", "Names of the nested ranges, outermost first"},
       {"depth", "depth", count, "", "Number of ranges of the path"},
       {"kernels", "kernels", count, "", "Kernels launched in the ranges, nested ones included"},
       {"time_s", "device time", quantity, "s", "Total duration of these kernels"},
       {"self_s", "self time", quantity, "s", "Of kernels launched in no nested range"},
       {"sol_fraction", "SOL %", fraction, "", "T_sol / T of the kernels with known SOL time"},
       {"saving_s", "saving", quantity, "s", "Potential saving: T - T_sol of these kernels"}},
      {}};
  for (std::size_t i = 0; i < tree_->paths.size(); ++i) {
    const analysis::RangePath& path = tree_->paths[i];
    const bool known = path.sol_s > 0 && path.cost_s > 0;
    table.rows.push_back({figure::path_text(*tree_, i), static_cast<std::int64_t>(path.depth),
                          path.kernels, path.time_s, path.self_s,
                          known ? analysis::Cell(path.sol_s / path.cost_s) : analysis::Cell(),
                          known ? analysis::Cell(path.saving_s) : analysis::Cell()});
  }
  return {std::move(table)};
}

}  // namespace mansard::gui
