// SPDX-License-Identifier: Apache-2.0
// The structure; sums and order are in kernel_tree_order.cpp, cells in kernel_tree_cells.cpp.
#include "gui/models/kernel_tree_model.h"

#include <algorithm>
#include <map>

#include "gui/models/row_facts.h"
#include "support/text.h"

namespace mansard::gui {
namespace {

// The launch configuration of "kernel <<<...>>>"; for host ranges, which have none, the whole name.
QString signature_text(const analysis::KernelRow& row) {
  if (row.grid[0] == 0) return label_text(row.name);
  QString text = QStringLiteral("grid %1, block %2")
                     .arg(QString::fromStdString(extent_text(row.grid)),
                          QString::fromStdString(extent_text(row.block)));
  if (row.shared_bytes > 0) text += QStringLiteral(", %1 B shared").arg(row.shared_bytes);
  if (row.precision) text += QStringLiteral(", ") + precision_text(row);
  return text;
}

}  // namespace

KernelTreeModel::KernelTreeModel(QObject* parent)
    : QAbstractItemModel(parent), shown_(std::make_shared<ShownLaunches>()), nodes_(1) {}

void KernelTreeModel::set_run(std::shared_ptr<const OpenRun> run,
                              std::shared_ptr<const ShownLaunches> shown) {
  beginResetModel();
  run_ = std::move(run);
  shown_ = std::move(shown);
  lists_.clear();
  awaited_.clear();
  background_.cancel();
  build_nodes();
  show_nodes();
  endResetModel();
}

void KernelTreeModel::set_shown(std::shared_ptr<const ShownLaunches> shown) {
  shown_ = std::move(shown);
  update_layout();
}

void KernelTreeModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= column_count) return;
  sort_column_ = column;
  sort_order_ = order;
  update_layout();
}

std::optional<std::size_t> KernelTreeModel::row_of(const QModelIndex& index) const {
  if (!index.isValid()) return std::nullopt;
  const Node& node = nodes_[node_of(index)];
  return node.depth == 3 ? std::optional(node.row) : std::nullopt;
}

std::optional<std::size_t> KernelTreeModel::launch_of(const QModelIndex& index) const {
  if (!index.isValid() || !is_launch(index)) return std::nullopt;
  return lists_.at(node_of(index)).launches[static_cast<std::size_t>(index.row())];
}

QString KernelTreeModel::class_of(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  NodeId id = node_of(index);
  while (nodes_[id].depth > 1) id = nodes_[id].parent;
  return nodes_[id].text;
}

analysis::KernelEntry KernelTreeModel::entry_of(const QModelIndex& index) const {
  return entry_of(nodes_[node_of(index)]);
}

analysis::KernelEntry KernelTreeModel::entry_of(const Node& node) const {
  analysis::KernelEntry entry;
  if (node.depth == 3) entry.row = &run_->analysis.rows[node.row];
  entry.totals = node.totals;
  return entry;
}

QModelIndex KernelTreeModel::index_of_row(std::size_t row) const {
  return row < node_of_row_.size() ? index_of_node(node_of_row_[row], 0) : QModelIndex();
}

QModelIndex KernelTreeModel::index_of_launch(std::size_t launch) {
  if (!run_ || launch >= run_->launches.size()) return {};
  const std::uint32_t row = run_->launches.row[launch];
  if (row == LaunchColumns::kNoRow || (!shown_->all() && !shown_->passes[launch])) return {};
  const QModelIndex parent = index_of_row(row);
  if (!parent.isValid()) return {};
  const NodeId id = node_of_row_[row];
  fetch_up_to(parent, 1);
  const auto number = static_cast<std::uint32_t>(launch);
  const auto list = lists_.find(id);
  if (list == lists_.end()) return {};
  const std::vector<std::uint32_t>& numbers = list->second.launches;
  const auto precedes = [order = launch_order()](std::uint32_t a, std::uint32_t b) {
    return order.before(a, b);
  };
  const auto place = static_cast<std::size_t>(
      list->second.ordered == numbers.size()
          ? std::ranges::lower_bound(numbers, number, precedes) - numbers.begin()
          : std::ranges::count_if(numbers,
                                  [&](std::uint32_t other) { return precedes(other, number); }));
  if (place >= numbers.size() || place >= kMaxRevealed) return {};
  fetch_up_to(parent, place + 1);
  return createIndex(static_cast<int>(place), 0, id_of(id, true));
}

QModelIndex KernelTreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  const NodeId id = parent.isValid() ? node_of(parent) : kRoot;
  if (nodes_[id].depth == 3) return createIndex(row, column, id_of(id, true));
  return createIndex(row, column, id_of(nodes_[id].shown[static_cast<std::size_t>(row)], false));
}

QModelIndex KernelTreeModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const NodeId id = node_of(index);
  return index_of_node(is_launch(index) ? id : nodes_[id].parent, 0);
}

int KernelTreeModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid() && (parent.column() != 0 || is_launch(parent))) return 0;
  const NodeId id = parent.isValid() ? node_of(parent) : kRoot;
  if (nodes_[id].depth < 3) return static_cast<int>(nodes_[id].shown.size());
  const auto list = lists_.find(id);
  return list == lists_.end() ? 0 : static_cast<int>(list->second.fetched);
}

int KernelTreeModel::columnCount(const QModelIndex&) const { return column_count; }

bool KernelTreeModel::hasChildren(const QModelIndex& parent) const {
  if (parent.isValid() && (parent.column() != 0 || is_launch(parent))) return false;
  const Node& node = nodes_[parent.isValid() ? node_of(parent) : kRoot];
  return node.depth < 3 ? !node.shown.empty() : node.totals.launches > 0;
}

bool KernelTreeModel::canFetchMore(const QModelIndex& parent) const {
  if (!parent.isValid() || parent.column() != 0 || is_launch(parent)) return false;
  const Node& node = nodes_[node_of(parent)];
  return node.depth == 3 && node.totals.launches > 0 && !lists_.contains(node_of(parent)) &&
         !awaited_.contains(node_of(parent));
}

void KernelTreeModel::fetchMore(const QModelIndex& parent) {
  if (canFetchMore(parent)) fetch_up_to(parent, 1);
}

void KernelTreeModel::show_more(const QModelIndex& signature) {
  if (!row_of(signature) || is_launch(signature)) return;
  fetch_up_to(signature, static_cast<std::size_t>(rowCount(signature.siblingAtColumn(0))) + 1);
}

// In multiples of kFetched.
void KernelTreeModel::fetch_up_to(const QModelIndex& signature, std::size_t count) {
  const NodeId id = node_of(signature);
  auto found = lists_.find(id);
  const TreeLaunches order = launch_order();
  if (found == lists_.end()) {
    if (is_long(id)) {
      if (awaited_.try_emplace(id, kFetched).second) order_awaited();
      return;
    }
    found = lists_.emplace(id, order.list_of(nodes_[id].row)).first;
  }
  LaunchList& list = found->second;
  const std::size_t whole = (count + kFetched - 1) / kFetched * kFetched;
  const std::size_t fetched = std::min(whole, list.launches.size());
  if (fetched <= list.fetched) return;
  order.order_up_to(list, fetched);
  beginInsertRows(signature.siblingAtColumn(0), static_cast<int>(list.fetched),
                  static_cast<int>(fetched) - 1);
  list.fetched = fetched;
  endInsertRows();
}

// The lowest bit marks launches. The higher bits are the node's number; for a launch, its
// signature's.
quintptr KernelTreeModel::id_of(NodeId node, bool launch) {
  return (static_cast<quintptr>(node) << 1) | (launch ? 1U : 0U);
}

bool KernelTreeModel::is_launch(const QModelIndex& index) { return (index.internalId() & 1U) != 0; }

KernelTreeModel::NodeId KernelTreeModel::node_of(const QModelIndex& index) {
  return static_cast<NodeId>(index.internalId() >> 1);
}

QModelIndex KernelTreeModel::index_of_node(NodeId id, int column) const {
  if (id == kRoot || nodes_[id].position < 0) return {};
  return createIndex(nodes_[id].position, column, id_of(id, false));
}

void KernelTreeModel::build_nodes() {
  nodes_.assign(1, Node());
  node_of_row_.clear();
  if (!run_) return;
  std::map<std::pair<NodeId, std::string>, NodeId> known;
  const auto add = [&](NodeId parent, QString text) {
    const auto id = static_cast<NodeId>(nodes_.size());
    Node node;
    node.depth = nodes_[parent].depth + 1;
    node.parent = parent;
    node.text = std::move(text);
    nodes_.push_back(std::move(node));
    nodes_[parent].children.push_back(id);
    return id;
  };
  const auto child = [&](NodeId parent, const std::string& key, const QString& text) {
    const auto [found, is_new] = known.try_emplace({parent, key}, 0);
    if (is_new) found->second = add(parent, text);
    return found->second;
  };
  const std::vector<analysis::KernelRow>& rows = run_->analysis.rows;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const analysis::KernelRow& r = rows[row];
    const NodeId of_class = child(kRoot, r.operation_class.name(), label_text(r.operation_class));
    const NodeId of_name =
        child(of_class, r.short_name.empty() ? r.name : r.short_name, display_name(r));
    const NodeId of_row = add(of_name, signature_text(r));
    nodes_[of_row].row = row;
    node_of_row_.push_back(of_row);
  }
}

}  // namespace mansard::gui
