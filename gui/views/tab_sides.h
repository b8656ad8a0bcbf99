// SPDX-License-Identifier: Apache-2.0
// Tabs on one side, or on two sides next to each other.
#pragma once

#include <QSplitter>
#include <array>

class QTabWidget;

namespace mansard::gui {

class TabSides : public QSplitter {
  Q_OBJECT

 public:
  explicit TabSides(QWidget* parent = nullptr);
  ~TabSides() override;

  void add(QWidget* page, const QString& title, const QString& tooltip);  // on the current side
  void remove(QWidget* page);                                             // does not delete it
  // The other side exists as long as it has pages.
  void move_to_other_side(QWidget* page);
  bool on_second_side(const QWidget* page) const;

  int count() const;
  QWidget* page(int index) const;  // pages of the first side come first; null if out of range
  // The current page of the side that was used last.
  QWidget* current() const;
  void set_current(QWidget* page);
  void set_title(QWidget* page, const QString& title);

 Q_SIGNALS:
  void current_changed();
  void close_requested(QWidget* page);

 private:
  QTabWidget* make_side();
  QTabWidget* side_of(const QWidget* page) const;
  void use(QTabWidget* side);
  void hide_empty();

  std::array<QTabWidget*, 2> sides_;
  QTabWidget* used_;
};

}  // namespace mansard::gui
