// SPDX-License-Identifier: Apache-2.0
// The launches of a run as a tree: class, short name, signature (a row of the analysis), launch.
// Sums are over what passes the filter, and what nothing passes of is not there. A launch is no
// object of its own: an index names its row and its place, and only rows that somebody opened hold
// the numbers of their launches, four bytes each.
#pragma once

#include <QAbstractItemModel>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gui/models/background.h"
#include "gui/models/kernel_tree_launches.h"
#include "gui/models/table_cells.h"

namespace mansard::gui {

class KernelTreeModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  // Of the catalog but for the name and the start, by the keys in kernel_tree_cells.cpp.
  enum Column { name, launches, time, share, rate, sol_fraction, start, duration, column_count };
  // So many launches of a row appear at first, and with each show_more().
  static constexpr std::size_t kFetched = 10'000;
  // A launch beyond so many of its row is not looked for (index_of_launch).
  static constexpr std::size_t kMostRevealed = kFetched;
  // Launches of a row of more appear a moment after they were asked for: another thread puts them
  // in order.
  static constexpr std::size_t kOrderedAtOnce = 100'000;

  explicit KernelTreeModel(QObject* parent = nullptr);

  // Null: an empty tree.
  void set_run(std::shared_ptr<const OpenRun> run, std::shared_ptr<const ShownLaunches> shown);
  // Another filter on the same run: what stays visible keeps its indices.
  void set_shown(std::shared_ptr<const ShownLaunches> shown);

  // Of a signature or a launch.
  std::optional<std::size_t> row_of(const QModelIndex& index) const;
  std::optional<std::size_t> launch_of(const QModelIndex& index) const;
  QString class_of(const QModelIndex& index) const;
  // What the kernel catalog reads of a class, a name or a signature: what is shown of it.
  analysis::KernelEntry entry_of(const QModelIndex& index) const;
  // More launches of a signature, where there are more. Not by fetchMore(), which QTreeView calls
  // until nothing is left.
  void show_more(const QModelIndex& signature);
  // Invalid where the filter hides it.
  QModelIndex index_of_row(std::size_t row) const;
  // Fetches as far as the launch; invalid as well where that is too far, and until
  // launches_arrived().
  QModelIndex index_of_launch(std::size_t launch);

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  bool hasChildren(const QModelIndex& parent = {}) const override;
  bool canFetchMore(const QModelIndex& parent) const override;
  void fetchMore(const QModelIndex& parent) override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  // By value, what is not known last in either order. Launches have an order of their own where the
  // column says something of each of them, else that of time.
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 Q_SIGNALS:
  void launches_arrived();

 private:
  using NodeId = std::uint32_t;
  static constexpr NodeId kRoot = 0;

  struct Node {
    int depth = 0;  // 1: class, 2: short name, 3: signature
    NodeId parent = kRoot;
    std::size_t row = 0;  // of a signature, into RunAnalysis::rows
    QString text;
    std::vector<NodeId> children;  // all
    std::vector<NodeId> shown;     // in order
    int position = -1;             // in the parent's `shown`; -1: hidden
    analysis::RowTotals totals;    // of what is shown
  };
  static quintptr id_of(NodeId node, bool launch);
  static bool is_launch(const QModelIndex& index);
  static NodeId node_of(const QModelIndex& index);  // of a launch its signature
  QModelIndex index_of_node(NodeId id, int column) const;
  void build_nodes();
  void show_nodes();
  void update_layout();
  analysis::RowTotals totals_of_row(std::size_t row) const;
  analysis::KernelEntry entry_of(const Node& node) const;
  void fetch_up_to(const QModelIndex& signature, std::size_t count);
  TreeLaunches launch_order() const;
  bool is_long(NodeId id) const;
  void order_awaited();
  void take(NodeId id, LaunchList list);
  QVariant node_value(const Node& node, int column) const;
  QVariant launch_value(std::size_t launch, int column) const;
  QString node_text(const Node& node, int column) const;
  QString launch_text(std::size_t launch, int column) const;
  QString tooltip(const QModelIndex& index) const;

  std::shared_ptr<const OpenRun> run_;
  std::shared_ptr<const ShownLaunches> shown_;
  std::vector<Node> nodes_;                       // the root first
  std::vector<NodeId> node_of_row_;               // by RunAnalysis::rows
  std::unordered_map<NodeId, LaunchList> lists_;  // of signatures that were opened
  std::map<NodeId, std::size_t> awaited_;         // being put in order; so many are to appear
  Background background_{this};
  int sort_column_ = time;
  Qt::SortOrder sort_order_ = Qt::DescendingOrder;
};

}  // namespace mansard::gui
