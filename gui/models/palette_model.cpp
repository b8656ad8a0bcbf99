// SPDX-License-Identifier: Apache-2.0
#include "gui/models/palette_model.h"

#include <algorithm>

namespace mansard::gui {
namespace {

// Number of entries with the best quick scores that are scored exactly.
constexpr std::size_t kLookedAt = 300;

}  // namespace

void PaletteModel::set_entries(std::vector<PaletteEntry> entries) {
  beginResetModel();
  entries_ = std::move(entries);
  texts_.clear();
  texts_.reserve(entries_.size());
  candidates_.clear();
  for (const PaletteEntry& entry : entries_) {
    candidates_.push_back({static_cast<std::uint32_t>(texts_.size()), 0});
    texts_.emplace_back(entry.text);
  }
  find();
  endResetModel();
}

void PaletteModel::set_query(const QString& typed) {
  const FuzzyQuery query(typed);
  beginResetModel();
  if (!query.narrows(query_)) {
    candidates_.clear();
    for (std::uint32_t i = 0; i < texts_.size(); ++i) candidates_.push_back({i, 0});
  }
  query_ = query;
  find();
  endResetModel();
}

void PaletteModel::find() {
  std::erase_if(candidates_, [this](Candidate& candidate) {
    const std::optional<int> score = query_.quick_score(texts_[candidate.entry]);
    candidate.score = score.value_or(0);
    return !score;
  });
  // Ties: the shorter text, which has fewer unmatched characters; then the earlier entry.
  const auto better = [this](const auto& a, const auto& b) {
    const auto length = [this](const auto& c) {
      return query_.is_empty() ? 0 : texts_[c.entry].folded.size();
    };
    return std::tuple(-a.score, length(a), a.entry) < std::tuple(-b.score, length(b), b.entry);
  };
  std::vector<Candidate> best(std::min(candidates_.size(), kLookedAt));
  std::ranges::partial_sort_copy(candidates_, best, better);

  shown_.clear();
  for (const Candidate& candidate : best) {
    const auto match = query_.best_match(texts_[candidate.entry]);
    if (!match) continue;
    shown_.push_back({candidate.entry, match->score,
                      QList<int>(match->positions.begin(), match->positions.end())});
  }
  std::ranges::stable_sort(shown_, better);
  if (shown_.size() > kMaxShown) shown_.resize(kMaxShown);
}

std::function<void()> PaletteModel::action(int row) const {
  if (row < 0 || row >= rowCount()) return {};
  return entries_[shown_[static_cast<std::size_t>(row)].entry].run;
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Shown& shown = shown_[static_cast<std::size_t>(index.row())];
  const PaletteEntry& entry = entries_[shown.entry];
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return entry.text;
    case Qt::AccessibleTextRole:
      return QStringLiteral("%1, %2, %3").arg(entry.text, entry.kind, entry.detail);
    case kDetailRole:
      return entry.detail;
    case kKindRole:
      return entry.kind;
    case kFoundRole:
      return QVariant::fromValue(shown.found);
    default:
      return {};
  }
}

}  // namespace mansard::gui
