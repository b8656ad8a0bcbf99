// SPDX-License-Identifier: Apache-2.0
// The launches of a run as a tree: class, short name, signature (a row of the analysis), launch.
// Sums cover the launches that pass the filter; nodes without any are hidden. Launches are not
// nodes: an index holds the row and position of its launch, and only expanded rows store the
// indices of their launches, four bytes each.
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
  // Columns of the kernel catalog by the keys in kernel_tree_cells.cpp, plus name and start.
  enum Column {
    name,
    step_saving,  // hidden, with step_time, if the run has no steps
    step_time,
    saving,  // hidden if the run has steps
    sol_fraction,
    rate,
    time,
    share,
    launches,
    start,
    duration,
    column_count
  };
  // Whether this run's tree shows the column.
  static bool has(const analysis::RunAnalysis& run, int column);
  // The column by which trees of this run are sorted, largest first (kernel_order_key()).
  static int order_column(const analysis::RunAnalysis& run);
  // Number of launches shown at first, and added by each show_more().
  static constexpr std::size_t kFetched = 10'000;
  // index_of_launch() does not search past this many launches of a row.
  static constexpr std::size_t kMaxRevealed = kFetched;
  // Rows with more launches than this are sorted in another thread, so their launches appear later.
  static constexpr std::size_t kOrderedAtOnce = 100'000;

  explicit KernelTreeModel(QObject* parent = nullptr);

  // Null: an empty tree.
  void set_run(std::shared_ptr<const OpenRun> run, std::shared_ptr<const ShownLaunches> shown);
  // Sets another filter on the same run. Nodes that stay visible keep their indices.
  void set_shown(std::shared_ptr<const ShownLaunches> shown);

  // Valid for a signature or a launch.
  std::optional<std::size_t> row_of(const QModelIndex& index) const;
  std::optional<std::size_t> launch_of(const QModelIndex& index) const;
  QString class_of(const QModelIndex& index) const;
  // Input of the kernel catalog's columns for a class, name or signature, limited to the shown
  // launches.
  analysis::KernelEntry entry_of(const QModelIndex& index) const;
  // Shows more launches of a signature. Not fetchMore(), because QTreeView calls that until nothing
  // is left.
  void show_more(const QModelIndex& signature);
  // Invalid if the filter hides it.
  QModelIndex index_of_row(std::size_t row) const;
  // Fetches launches up to this one. Invalid if that is too far, and until launches_arrived().
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
  // Sorts by value; unknown values come last in both orders. Launches are sorted by duration or by
  // start, depending on the column.
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 Q_SIGNALS:
  void launches_arrived();

 private:
  using NodeId = std::uint32_t;
  static constexpr NodeId kRoot = 0;

  struct Node {
    int depth = 0;  // 1: class, 2: short name, 3: signature
    NodeId parent = kRoot;
    std::size_t row = 0;  // for a signature: index into RunAnalysis::rows
    QString text;
    std::vector<NodeId> children;  // all children
    std::vector<NodeId> shown;     // visible children, sorted
    int position = -1;             // index in the parent's `shown`; -1: hidden
    analysis::RowTotals totals;    // of the shown launches
  };
  static quintptr id_of(NodeId node, bool launch);
  static bool is_launch(const QModelIndex& index);
  static NodeId node_of(const QModelIndex& index);  // for a launch: its signature
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
  std::vector<NodeId> node_of_row_;               // index: RunAnalysis::rows
  std::unordered_map<NodeId, LaunchList> lists_;  // of expanded signatures
  std::map<NodeId, std::size_t> awaited_;         // lists being sorted: number of launches to show
  Background background_{this};
  int sort_column_ = time;
  Qt::SortOrder sort_order_ = Qt::DescendingOrder;
};

}  // namespace mansard::gui
