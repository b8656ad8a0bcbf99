// SPDX-License-Identifier: Apache-2.0
// All that is known of the selected row.
#pragma once

#include <QTextBrowser>

#include "analyzer/run_analysis.h"

namespace mansard {

class DetailsView : public QTextBrowser {
  Q_OBJECT

 public:
  explicit DetailsView(QWidget* parent = nullptr);
  // Null: nothing is selected.
  void show_row(const KernelRow* row);
  QSize sizeHint() const override { return {300, 400}; }
};

}  // namespace mansard
