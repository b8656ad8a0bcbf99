// SPDX-License-Identifier: Apache-2.0
#include "gui/views/tool_log_view.h"

#include <QFontDatabase>
#include <algorithm>

#include "gui/models/tool_run.h"

namespace mansard::gui {
namespace {

constexpr int kPeriod_ms = 100;
// Lines shown per period: more cannot be read, and layout takes time.
constexpr std::size_t kMaxAtOnce = 200;

}  // namespace

ToolLogView::ToolLogView(const ToolRun* run, QWidget* parent)
    : QPlainTextEdit(parent), log_(&run->log()) {
  setReadOnly(true);
  setUndoRedoEnabled(false);
  setLineWrapMode(QPlainTextEdit::NoWrap);  // tables have lines of 160 characters
  setMaximumBlockCount(static_cast<int>(ToolLog::kMaxLines));
  setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  setAccessibleName(tr("Program output"));
  soon_.setSingleShot(true);
  soon_.setInterval(kPeriod_ms);
  connect(&soon_, &QTimer::timeout, this, &ToolLogView::show_new_lines);
  connect(run, &ToolRun::log_grew, &soon_, [this] {
    if (log_->end() < shown_) {  // log of another run
      clear();
      shown_ = 0;
    }
    if (!soon_.isActive()) soon_.start();
  });
}

void ToolLogView::show_new_lines() {
  const std::size_t end = log_->end();
  std::size_t from = std::max(shown_, log_->first());
  if (end - from > kMaxAtOnce) from = end - kMaxAtOnce;
  QStringList lines;
  if (from > shown_) lines << tr("[%1 lines omitted]").arg(from - shown_);
  for (std::size_t i = from; i < end; ++i) lines << log_->lines()[i - log_->first()];
  shown_ = end;
  if (!lines.isEmpty()) appendPlainText(lines.join(u'\n'));
}

}  // namespace mansard::gui
