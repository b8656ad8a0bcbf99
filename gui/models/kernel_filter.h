// SPDX-License-Identifier: Apache-2.0
// The text filter: words, all of which must occur in a row's name, class, precision or bound.
#pragma once

#include <QString>
#include <QStringList>

#include "analyzer/run_analysis.h"

namespace mansard::gui {

class KernelFilter {
 public:
  KernelFilter() = default;  // matches everything
  explicit KernelFilter(const QString& text);

  bool matches(const analysis::KernelRow& row) const;
  bool matches_all() const { return words_.isEmpty(); }

 private:
  QStringList words_;
};

}  // namespace mansard::gui
