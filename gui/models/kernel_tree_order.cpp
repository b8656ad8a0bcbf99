// SPDX-License-Identifier: Apache-2.0
// Filtering, sums and sorting of the kernel tree.
#include <algorithm>
#include <array>
#include <utility>

#include "gui/models/kernel_tree_model.h"

namespace mansard::gui {
// Computes sums, visibility and order from the leaves up: children have higher numbers than their
// parents.
void KernelTreeModel::show_nodes() {
  for (Node& node : nodes_) {
    node.totals = node.depth == 3 ? totals_of_row(node.row) : analysis::RowTotals();
    node.shown.clear();
    node.position = -1;
  }
  for (std::size_t id = nodes_.size() - 1; id > kRoot; --id) {
    nodes_[nodes_[id].parent].totals.add(nodes_[id].totals);
  }
  if (shown_->total_s > 0) {
    for (Node& node : nodes_) node.totals.share = node.totals.time_s / shown_->total_s;
  }
  std::vector<QVariant> values;
  values.reserve(nodes_.size());
  for (const Node& node : nodes_) values.push_back(node_value(node, sort_column_));
  for (Node& node : nodes_) {
    for (const NodeId child : node.children) {
      if (nodes_[child].totals.launches > 0) node.shown.push_back(child);
    }
    std::ranges::stable_sort(node.shown, [&](NodeId a, NodeId b) {
      return comes_before(values[a], values[b], sort_order_);
    });
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
  std::erase_if(awaited_, [&](const auto& one) { return nodes_[one.first].position < 0; });
  const TreeLaunches order = launch_order();
  for (auto it = lists_.begin(); it != lists_.end();) {
    auto& [id, list] = *it;
    const std::size_t fetched = std::max(list.fetched, kFetched);
    if (is_long(id)) {
      awaited_[id] = fetched;
      it = lists_.erase(it);
      continue;
    }
    // Rebuilds the list even if only the order changed: reading keys is fastest in profile order.
    list = order.list_of(nodes_[id].row);
    list.fetched = std::min(fetched, list.launches.size());
    order.order_up_to(list, list.fetched);
    ++it;
  }
  order_awaited();
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

analysis::RowTotals KernelTreeModel::totals_of_row(std::size_t row) const {
  if (!shown_->shows(row)) return {};
  return analysis::RowTotals::of_part(run_->analysis.rows[row], shown_->launches[row],
                                      shown_->time_s[row]);
}

// By duration for columns that grow with it, such as the potential saving; otherwise by start.
TreeLaunches KernelTreeModel::launch_order() const {
  constexpr std::array kOfDuration = {step_saving, step_time, saving, time, share, duration};
  const bool by_duration = std::ranges::find(kOfDuration, sort_column_) != kOfDuration.end();
  const bool falls = (by_duration || sort_column_ == start) && sort_order_ == Qt::DescendingOrder;
  return {run_, shown_, by_duration, falls};
}

bool KernelTreeModel::is_long(NodeId id) const {
  return run_->analysis.rows[nodes_[id].row].launch_indices.size() > kOrderedAtOnce;
}

// One job sorts all pending lists; a later job, for another order, replaces it.
void KernelTreeModel::order_awaited() {
  using Lists = std::vector<std::pair<NodeId, LaunchList>>;
  if (awaited_.empty()) return background_.cancel();
  std::vector<std::pair<NodeId, std::size_t>> wanted;
  for (const auto& [id, fetched] : awaited_) wanted.emplace_back(id, nodes_[id].row);
  background_.start(
      [order = launch_order(), wanted = std::move(wanted)] {
        Lists lists;
        for (const auto& [id, row] : wanted) {
          lists.emplace_back(id, order.list_of(row));
          // Sorts the whole list, so that further scrolling does not have to wait.
          order.order_up_to(lists.back().second, lists.back().second.launches.size());
        }
        return lists;
      },
      [this](Lists lists) {
        for (auto& [id, list] : lists) take(id, std::move(list));
        Q_EMIT launches_arrived();
      });
}

void KernelTreeModel::take(NodeId id, LaunchList list) {
  const auto awaited = awaited_.find(id);
  if (awaited == awaited_.end()) return;
  const std::size_t fetched = std::min(awaited->second, list.launches.size());
  awaited_.erase(awaited);
  LaunchList& taken = lists_[id] = std::move(list);
  if (fetched == 0) return;
  beginInsertRows(index_of_node(id, 0), 0, static_cast<int>(fetched) - 1);
  taken.fetched = fetched;
  endInsertRows();
}

}  // namespace mansard::gui
