// SPDX-License-Identifier: Apache-2.0
// Structure and order; what cells say is in kernel_tree_cells.cpp.
#include "gui/models/kernel_tree_model.h"

#include <algorithm>
#include <map>

#include "gui/models/row_facts.h"

namespace mansard {
namespace {

constexpr quintptr kLaunchBit = 1;  // of an internal id: the node's number lies above

quintptr id_of(std::uint32_t node, bool launch) {
  return (static_cast<quintptr>(node) << 1) | (launch ? kLaunchBit : 0);
}

// The signature's own part of "kernel <<<...>>>"; of the host, which has none, the whole name.
QString signature_text(const KernelRow& row) {
  if (row.grid[0] == 0) return QString::fromStdString(row.name);
  const auto extent = [](const std::array<std::int32_t, 3>& n) {
    return QStringLiteral("%1 x %2 x %3").arg(n[0]).arg(n[1]).arg(n[2]);
  };
  QString text = QStringLiteral("grid %1, block %2").arg(extent(row.grid), extent(row.block));
  if (row.shared_bytes > 0) text += QStringLiteral(", %1 B shared").arg(row.shared_bytes);
  if (row.precision) text += QStringLiteral(", ") + precision_text(row);
  return text;
}

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

KernelTreeModel::KernelTreeModel(QObject* parent)
    : QAbstractItemModel(parent), shown_(std::make_shared<ShownLaunches>()), nodes_(1) {}

void KernelTreeModel::set_run(std::shared_ptr<const OpenRun> run,
                              std::shared_ptr<const ShownLaunches> shown) {
  beginResetModel();
  run_ = std::move(run);
  shown_ = std::move(shown);
  lists_.clear();
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

QModelIndex KernelTreeModel::index_of_row(std::size_t row) const {
  return row < node_of_row_.size() ? index_of_node(node_of_row_[row], 0) : QModelIndex();
}

QModelIndex KernelTreeModel::index_of_launch(std::size_t launch) {
  if (!run_ || launch >= run_->launches.size()) return {};
  const std::uint32_t row = run_->launches.row[launch];
  if (row == LaunchColumns::kNoRow || (!shown_->all() && !shown_->passes[launch])) return {};
  const QModelIndex parent = index_of_row(row);
  if (!parent.isValid()) return {};
  if (rowCount(parent) == 0) fetchMore(parent);
  const NodeId id = node_of_row_[row];
  const auto number = static_cast<std::uint32_t>(launch);
  const std::vector<std::uint32_t>& launches = lists_.at(id).launches;
  const auto place = static_cast<std::size_t>(std::ranges::count_if(
      launches, [&](std::uint32_t other) { return launch_before(other, number); }));
  if (place >= launches.size() || place >= kMostRevealed) return {};
  while (lists_.at(id).fetched <= place) fetchMore(parent);
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
  return node.depth < 3 ? !node.shown.empty() : node.sums.launches > 0;
}

bool KernelTreeModel::canFetchMore(const QModelIndex& parent) const {
  if (!parent.isValid() || parent.column() != 0 || is_launch(parent)) return false;
  const NodeId id = node_of(parent);
  if (nodes_[id].depth < 3) return false;
  const auto list = lists_.find(id);
  return list == lists_.end() ? nodes_[id].sums.launches > 0
                              : list->second.fetched < list->second.launches.size();
}

void KernelTreeModel::fetchMore(const QModelIndex& parent) {
  if (!canFetchMore(parent)) return;
  const NodeId id = node_of(parent);
  auto found = lists_.find(id);
  if (found == lists_.end()) found = lists_.emplace(id, list_of(id)).first;
  LaunchList& list = found->second;
  const std::size_t fetched = std::min(list.fetched + kFetched, list.launches.size());
  order_up_to(list, fetched);
  if (fetched == list.fetched) return;
  beginInsertRows(parent.siblingAtColumn(0), static_cast<int>(list.fetched),
                  static_cast<int>(fetched) - 1);
  list.fetched = fetched;
  endInsertRows();
}

bool KernelTreeModel::is_launch(const QModelIndex& index) {
  return (index.internalId() & kLaunchBit) != 0;
}

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
  const std::vector<KernelRow>& rows = run_->analysis.rows;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const KernelRow& r = rows[row];
    const NodeId of_class =
        child(kRoot, r.operation_class, QString::fromStdString(r.operation_class));
    const NodeId of_name =
        child(of_class, r.short_name.empty() ? r.name : r.short_name, display_name(r));
    const NodeId of_row = add(of_name, signature_text(r));
    nodes_[of_row].row = row;
    node_of_row_.push_back(of_row);
  }
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
  std::vector<std::optional<std::size_t>> launches;
  for (const QModelIndex& index : before) launches.push_back(launch_of(index));
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
      const auto found = std::find(begin, end, *launches[static_cast<std::size_t>(i)]);
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
