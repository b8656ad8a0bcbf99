// SPDX-License-Identifier: Apache-2.0
// What can be gone to or done by typing a part of its name, best first.
#pragma once

#include <QAbstractListModel>
#include <QString>
#include <functional>
#include <vector>

#include "gui/models/fuzzy_match.h"

namespace mansard::gui {

struct PaletteEntry {
  QString text;    // what is searched in
  QString detail;  // a shortcut, a share of the time: shown beside it
  QString kind;    // "Command", "Kernel"
  std::function<void()> run;
};

class PaletteModel : public QAbstractListModel {
  Q_OBJECT

 public:
  static constexpr int kMostShown = 50;
  enum Role {
    kDetailRole = Qt::UserRole,
    kKindRole,
    kFoundRole,  // QList<int>: the characters of the text that were typed
  };

  using QAbstractListModel::QAbstractListModel;

  // In the order in which they are shown while nothing is typed, and which decides between equals.
  void set_entries(std::vector<PaletteEntry> entries);
  void set_query(const QString& typed);
  // Of all, not only of those shown.
  int found_count() const { return static_cast<int>(candidates_.size()); }

  // What the entry does; empty where there is no such row, or it does nothing.
  std::function<void()> action(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  struct Shown {
    std::uint32_t entry = 0;
    int score = 0;
    QList<int> found;
  };
  struct Candidate {
    std::uint32_t entry = 0;
    int score = 0;
  };
  void find();

  std::vector<PaletteEntry> entries_;
  std::vector<FuzzyText> texts_;  // of the entries
  FuzzyQuery query_{QString()};
  std::vector<Candidate> candidates_;  // in the order of the entries
  std::vector<Shown> shown_;
};

}  // namespace mansard::gui
