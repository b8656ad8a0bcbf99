// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_controls.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "gui/views/painting.h"

namespace mansard::gui {
namespace {

// Collected from the figure and the other machines, without duplicates, in enum order.
template <class Key, class Of>
std::vector<Key> keys_of(const PlaneScene& scene, Of of) {
  std::set<Key> keys;
  for (const figure::PlaneLine& line : scene.figure().lines) {
    if (of(line)) keys.insert(*of(line));
  }
  return {keys.begin(), keys.end()};
}

std::vector<MemoryLevel> tiers_of(const PlaneScene& scene) {
  return keys_of<MemoryLevel>(scene, [](const figure::PlaneLine& line) { return line.level; });
}

std::vector<Precision> precisions_of(const PlaneScene& scene) {
  return keys_of<Precision>(scene, [](const figure::PlaneLine& line) { return line.precision; });
}

template <class Key>
void toggle(std::set<Key>& hidden, Key key) {
  if (hidden.erase(key) == 0) hidden.insert(key);
}

}  // namespace

PlaneControls::PlaneControls(const PlaneScene& scene, QWidget* parent)
    : QWidget(parent), scene_(scene), all_(new QMenu(this)), whole_(new QToolButton(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(4, 2, 6, 0);
  row->setSpacing(2);
  tiers_ = add_menu(tr("Memory &tiers"), tr("Choose the memory tiers with a roof and points"),
                    &PlaneControls::fill_tiers);
  precisions_ = add_menu(tr("&Precisions"), tr("Choose the precisions with a ceiling"),
                         &PlaneControls::fill_precisions);
  marks_ = add_menu(tr("P&oints"), tr("Choose whether a point is a kernel or a launch"),
                    &PlaneControls::fill_marks);
  machines_ = add_menu(tr("Ma&chines"), tr("Compare with the ceilings of other machines"),
                       &PlaneControls::fill_machines);
  const auto set_up = [row](QToolButton* button, QMenu* menu) {
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
  };
  for (QMenu* menu : {tiers_, precisions_, marks_, machines_}) {
    auto* button = new QToolButton(this);
    button->setText(menu->title().remove(QLatin1Char('&')));
    button->setToolTip(menu->toolTip());
    set_up(button, menu);
    buttons_.emplace_back(menu, button);
  }
  whole_->setText(tr("Display"));
  set_up(whole_, all_);
  whole_->hide();
  follow();
}

QMenu* PlaneControls::add_menu(const QString& title, const QString& tooltip,
                               void (PlaneControls::*fill)(QMenu*)) {
  QMenu* menu = all_->addMenu(title);
  menu->setToolTip(tooltip);
  connect(menu, &QMenu::aboutToShow, this, [this, menu, fill] {
    menu->clear();
    (this->*fill)(menu);
  });
  return menu;
}

QMenu* PlaneControls::submenu(const QString& title) {
  for (const auto& [menu, button] : buttons_) {
    if (menu->title().remove(QLatin1Char('&')) != title) continue;
    Q_EMIT menu->aboutToShow();
    return menu;
  }
  return nullptr;
}

void PlaneControls::follow() {
  const bool any = scene_.run() != nullptr;
  tiers_->menuAction()->setVisible(any && (!tiers_of(scene_).empty() || !scene_.levels().empty()));
  precisions_->menuAction()->setVisible(any && !precisions_of(scene_).empty());
  marks_->menuAction()->setVisible(any && scene_.has_density() && !scene_.run()->rows.empty());
  machines_->menuAction()->setVisible(any);
  if (parentWidget() != nullptr) fit(parentWidget()->width());
}

void PlaneControls::fit(int width) {
  // Measures both kinds of buttons, whichever is shown.
  int row_px = 16;
  for (const auto& [menu, button] : buttons_) {
    if (menu->menuAction()->isVisible()) row_px += button->sizeHint().width() + 2;
  }
  const bool row = row_px < 0.45 * width;
  for (const auto& [menu, button] : buttons_) {
    button->setVisible(row && menu->menuAction()->isVisible());
  }
  whole_->setVisible(!row && scene_.run() != nullptr);
  layout()->activate();
  const QSize size = sizeHint();
  setGeometry(width - size.width(), 0, size.width(), size.height());
}

void PlaneControls::add_choice(QMenu* menu, const QString& text, bool checked, bool exclusive,
                               const std::function<void(PlaneOptions&)>& choose) {
  // Escape ampersands in machine names.
  QAction* action = menu->addAction(QString(text).replace(QLatin1Char('&'), QStringLiteral("&&")));
  action->setCheckable(true);
  action->setChecked(checked);
  if (exclusive) {
    auto* group = menu->findChild<QActionGroup*>(QString(), Qt::FindDirectChildrenOnly);
    if (group == nullptr) group = new QActionGroup(menu);
    action->setActionGroup(group);
  }
  connect(action, &QAction::triggered, this, [this, choose] {
    PlaneOptions options = scene_.options();
    choose(options);
    Q_EMIT chosen(options);
  });
}

void PlaneControls::fill_tiers(QMenu* menu) {
  if (!scene_.levels().empty()) menu->addSection(tr("Count bytes at (key T)"));
  for (const MemoryLevel level : scene_.levels()) {
    add_choice(menu, to_qstring(info(level).label), scene_.level() == level, true,
               [level](PlaneOptions& o) { o.level = level; });
  }
  const std::vector<MemoryLevel> tiers = tiers_of(scene_);
  if (tiers.empty()) return;
  menu->addSection(tr("Lines"));
  for (const MemoryLevel level : tiers) {
    add_choice(menu, to_qstring(info(level).label), !scene_.options().hidden_levels.contains(level),
               false, [level](PlaneOptions& o) { toggle(o.hidden_levels, level); });
  }
  menu->addSeparator();
  QAction* all = menu->addAction(tr("&All lines"), this, [this] {
    PlaneOptions options = scene_.options();
    options.hidden_levels.clear();
    Q_EMIT chosen(options);
  });
  all->setEnabled(!scene_.options().hidden_levels.empty());
}

void PlaneControls::fill_precisions(QMenu* menu) {
  const std::vector<Precision> precisions = precisions_of(scene_);
  for (const Precision precision : precisions) {
    add_choice(menu, to_qstring(info(precision).label),
               !scene_.options().hidden_precisions.contains(precision), false,
               [precision](PlaneOptions& o) { toggle(o.hidden_precisions, precision); });
  }
  menu->addSeparator();
  const auto choose = [this](const std::set<Precision>& hidden) {
    PlaneOptions options = scene_.options();
    options.hidden_precisions = hidden;
    Q_EMIT chosen(options);
  };
  std::set<Precision> unused;
  for (const Precision precision : precisions) {
    if (!scene_.used().contains(precision)) unused.insert(precision);
  }
  QAction* used =
      menu->addAction(tr("Only precisions in &use"), this, [choose, unused] { choose(unused); });
  used->setEnabled(!scene_.used().empty() && !unused.empty());
  QAction* all = menu->addAction(tr("&All"), this, [choose] { choose({}); });
  all->setEnabled(!scene_.options().hidden_precisions.empty());
}

void PlaneControls::fill_marks(QMenu* menu) {
  const auto add = [&](PlaneMarks marks, const QString& text) {
    add_choice(menu, text, scene_.options().marks == marks, true,
               [marks](PlaneOptions& o) { o.marks = marks; });
  };
  menu->addSection(tr("One point per (key D)"));
  add(PlaneMarks::kernels, tr("Kernel"));
  add(PlaneMarks::launches, tr("Launch (density)"));
  add(PlaneMarks::both, tr("Both"));
}

void PlaneControls::fill_machines(QMenu* menu) {
  menu->addAction(tr("&Add ceilings from a machine model..."), this,
                  &PlaneControls::machine_wanted);
  for (const PlaneMachine& machine : scene_.options().machines) {
    add_choice(menu, machine.name, true, false, [file = machine.file](PlaneOptions& o) {
      std::erase_if(o.machines, [&](const PlaneMachine& m) { return m.file == file; });
    });
  }
}

}  // namespace mansard::gui
