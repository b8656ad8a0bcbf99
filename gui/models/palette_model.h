// SPDX-License-Identifier: Apache-2.0
// Model of the search palette: entries that match the typed text, best first.
#pragma once

#include <QAbstractListModel>
#include <QString>
#include <functional>
#include <vector>

#include "gui/models/fuzzy_match.h"

namespace mansard::gui {

struct PaletteEntry {
  QString text;    // the text to search in
  QString detail;  // shown beside the text: a shortcut, a share of the time
  QString kind;    // "Command", "Kernel"
  std::function<void()> run;
};

class PaletteModel : public QAbstractListModel {
  Q_OBJECT

 public:
  static constexpr int kMaxShown = 50;
  enum Role {
    kDetailRole = Qt::UserRole,
    kKindRole,
    kFoundRole,  // QList<int>: positions of the matched characters
  };

  using QAbstractListModel::QAbstractListModel;

  // In the order shown while nothing is typed, which also breaks ties.
  void set_entries(std::vector<PaletteEntry> entries);
  void set_query(const QString& typed);
  // Number of all matches, not only of those shown.
  int found_count() const { return static_cast<int>(candidates_.size()); }

  // The action of the entry; empty if there is no such row or action.
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
