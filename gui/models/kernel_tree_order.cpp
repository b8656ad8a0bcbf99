// SPDX-License-Identifier: Apache-2.0
// What of the kernel tree the filter leaves, its sums and its order.
#include <algorithm>

#include "gui/models/kernel_tree_model.h"
#include "gui/models/row_facts.h"

namespace mansard {
namespace {

// Whether `a` comes before `b`; what is not known comes last whichever way.
bool before(const QVariant& a, const QVariant& b, Qt::SortOrder order) {
  if (a.isValid() != b.isValid()) return a.isValid();
  if (!a.isValid()) return false;
  const QPartialOrdering compared = QVariant::compare(a, b);
  return compared ==
         (order == Qt::AscendingOrder ? QPartialOrdering::Less : QPartialOrdering::Greater);
}

}  // namespace

void KernelTreeModel::Sums::add(const Sums& other) {
  launches += other.launches;
  time_s += other.time_s;
  flop += other.flop;
  flop_s += other.flop_s;
  limit_s += other.limit_s;
  cost_s += other.cost_s;
}

// Sums, what is hidden, and the order, from the leaves up: children have higher numbers.
void KernelTreeModel::show_nodes() {
  for (Node& node : nodes_) {
    node.sums = node.depth == 3 ? sums_of_row(node.row) : Sums();
    node.shown.clear();
    node.position = -1;
  }
  for (std::size_t id = nodes_.size() - 1; id > kRoot; --id) {
    nodes_[nodes_[id].parent].sums.add(nodes_[id].sums);
  }
  std::vector<QVariant> values;
  values.reserve(nodes_.size());
  for (const Node& node : nodes_) values.push_back(node_value(node, sort_column_));
  for (Node& node : nodes_) {
    for (const NodeId child : node.children) {
      if (nodes_[child].sums.launches > 0) node.shown.push_back(child);
    }
    std::ranges::stable_sort(
        node.shown, [&](NodeId a, NodeId b) { return before(values[a], values[b], sort_order_); });
    for (std::size_t i = 0; i < node.shown.size(); ++i) {
      nodes_[node.shown[i]].position = static_cast<int>(i);
    }
  }
}

void KernelTreeModel::update_layout() {
  Q_EMIT layoutAboutToBeChanged();
  const QModelIndexList before = persistentIndexList();
  std::vector<std::optional<std::size_t>> of_launches;
  for (const QModelIndex& index : before) of_launches.push_back(launch_of(index));
  show_nodes();
  std::erase_if(lists_, [&](const auto& list) { return nodes_[list.first].position < 0; });
  for (auto& [id, list] : lists_) {
    const std::size_t fetched = list.fetched;
    list = list_of(id);
    list.fetched = std::min(std::max(fetched, kFetched), list.launches.size());
    order_up_to(list, list.fetched);
  }
  QModelIndexList after;
  for (qsizetype i = 0; i < before.size(); ++i) {
    const QModelIndex& index = before[i];
    const NodeId id = node_of(index);
    const auto list = lists_.find(id);
    if (!is_launch(index)) {
      after.push_back(index_of_node(id, index.column()));
    } else if (list == lists_.end()) {
      after.push_back({});
    } else {
      const auto begin = list->second.launches.begin();
      const auto end = begin + static_cast<std::ptrdiff_t>(list->second.fetched);
      const auto found = std::find(begin, end, *of_launches[static_cast<std::size_t>(i)]);
      after.push_back(found == end ? QModelIndex()
                                   : createIndex(static_cast<int>(found - begin), index.column(),
                                                 id_of(id, true)));
    }
  }
  changePersistentIndexList(before, after);
  Q_EMIT layoutChanged();
}

KernelTreeModel::Sums KernelTreeModel::sums_of_row(std::size_t row) const {
  Sums sums;
  if (!shown_->shows(row)) return sums;
  const KernelRow& r = run_->analysis.rows[row];
  sums.launches = shown_->launches[row];
  sums.time_s = shown_->time_s[row];
  // What is known of a row holds for all of its launches, so for a part of its time as well.
  const double part = r.time_s > 0 ? sums.time_s / r.time_s : 0;
  if (flop_per_s(r)) {
    sums.flop = part * r.work.total_flop();
    sums.flop_s = sums.time_s;
  }
  if (fraction_of_light(r)) {
    sums.limit_s = part * r.limit.time_s;
    sums.cost_s = part * r.cost_s;
  }
  return sums;
}

KernelTreeModel::LaunchList KernelTreeModel::list_of(NodeId id) const {
  LaunchList list;
  const LaunchColumns& columns = run_->launches;
  const KernelRow& row = run_->analysis.rows[nodes_[id].row];
  list.launches.reserve(static_cast<std::size_t>(nodes_[id].sums.launches));
  for (const std::size_t record : row.launch_indices) {
    std::size_t launch = record;
    if (!columns.record.empty()) {
      // Records of the host rise; some of them have no end and are no launches.
      const auto found = std::ranges::lower_bound(columns.record, record);
      if (found == columns.record.end() || *found != record) continue;
      launch = static_cast<std::size_t>(found - columns.record.begin());
    }
    if (launch >= columns.size() || (!shown_->all() && !shown_->passes[launch])) continue;
    list.launches.push_back(static_cast<std::uint32_t>(launch));
  }
  return list;
}

// A list of millions is ordered as far as it is looked at.
void KernelTreeModel::order_up_to(LaunchList& list, std::size_t count) const {
  if (count <= list.ordered) return;
  const auto less = [this](std::uint32_t a, std::uint32_t b) { return launch_before(a, b); };
  const auto begin = list.launches.begin() + static_cast<std::ptrdiff_t>(list.ordered);
  const auto end = list.launches.begin() + static_cast<std::ptrdiff_t>(count);
  if (end != list.launches.end()) std::nth_element(begin, end, list.launches.end(), less);
  std::sort(begin, end, less);
  list.ordered = count;
}

std::int64_t KernelTreeModel::launch_key(std::size_t launch) const {
  const LaunchColumns& columns = run_->launches;
  const bool by_duration =
      sort_column_ == time || sort_column_ == share || sort_column_ == duration;
  const std::int64_t start_ns = columns.start_ns[launch];
  return by_duration ? columns.end_ns[launch] - start_ns : start_ns;
}

bool KernelTreeModel::launch_before(std::uint32_t a, std::uint32_t b) const {
  const std::int64_t key_a = launch_key(a);
  const std::int64_t key_b = launch_key(b);
  if (key_a == key_b) return a < b;
  const bool of_each = sort_column_ == time || sort_column_ == share || sort_column_ == duration ||
                       sort_column_ == start;
  return of_each && sort_order_ == Qt::DescendingOrder ? key_a > key_b : key_a < key_b;
}

}  // namespace mansard
