// SPDX-License-Identifier: Apache-2.0
// What all views of one run share: the selected row, the row under the cursor, the filter. A view
// writes what its user does and repaints on what it hears, also of its own doing.
#pragma once

#include <QObject>
#include <QString>
#include <cstddef>
#include <optional>

namespace mansard {

class SelectionModel : public QObject {
  Q_OBJECT

 public:
  using Row = std::optional<std::size_t>;  // into RunAnalysis::rows

  using QObject::QObject;

  Row selected() const { return selected_; }
  Row hovered() const { return hovered_; }
  const QString& filter() const { return filter_; }

  void select(Row row);
  void hover(Row row);
  void set_filter(const QString& filter);

 Q_SIGNALS:
  void selected_changed();
  void hovered_changed();
  void filter_changed();

 private:
  Row selected_;
  Row hovered_;
  QString filter_;
};

}  // namespace mansard
