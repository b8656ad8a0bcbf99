// SPDX-License-Identifier: Apache-2.0
#include "gui/models/run_entries.h"

#include <QLocale>
#include <QObject>
#include <QPointer>
#include <map>
#include <string>

#include "gui/models/row_facts.h"
#include "gui/models/selection_model.h"

namespace mansard::gui {
namespace {

// If names contain a number (of a request or batch), every range may have a different name.
constexpr std::size_t kMaxRanges = 20'000;

class Entries {
 public:
  explicit Entries(SelectionModel& selection) : selection_(&selection), run_(selection.run()) {}

  std::vector<PaletteEntry> take() {
    if (!run_) return {};
    add_kernels();
    add_classes();
    add_streams();
    add_ranges();
    return std::move(out_);
  }

 private:
  // Calls `act(selection)` if the run is still the shown one.
  template <typename Act>
  void add(const QString& text, const QString& detail, const QString& kind, Act act) {
    // Weak: an entry must not keep a closed run in memory.
    out_.push_back({text, detail, kind,
                    [selection = selection_, run = std::weak_ptr(run_), act = std::move(act)] {
                      if (!selection || run.expired() || selection->run() != run.lock()) return;
                      act(*selection);
                    }});
  }

  template <typename Change>
  void add_filter(const QString& text, const QString& detail, const QString& kind, Change change) {
    add(text, detail, kind, [change = std::move(change)](SelectionModel& selection) {
      ViewFilter filter = selection.filter();
      change(filter);
      selection.set_filter(filter);
    });
  }

  void add_kernels() {
    const std::vector<analysis::KernelRow>& rows = run_->analysis.rows;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const QString detail = QString::fromStdString(rows[row].operation_class.name()) +
                             QStringLiteral(", ") + percent_text(rows[row].share);
      add(display_name(rows[row]), detail, QObject::tr("Kernel"),
          [row](SelectionModel& selection) { selection.select(row); });
    }
  }

  void add_classes() {
    std::map<analysis::OperationClass, double> share;
    for (const analysis::KernelRow& row : run_->analysis.rows)
      share[row.operation_class] += row.share;
    for (const auto& [c, of_time] : share) {
      if (c.empty()) continue;
      const QString operation_class = QString::fromStdString(c.name());
      add(operation_class, percent_text(of_time), QObject::tr("Class"),
          [operation_class](SelectionModel& selection) {
            selection.set_operation_class(operation_class);
          });
    }
  }

  void add_ranges() {
    const figure::Timeline& timeline = run_->timeline;
    std::size_t ranges = 0;
    for (const figure::SliceName& name : timeline.names) {
      if (name.text.empty() || timeline.classes[name.of_class] != figure::kRangeClass) continue;
      if (++ranges > kMaxRanges) continue;
      const QString range = QString::fromStdString(name.text);
      add_filter(range, QString(), QObject::tr("Range"),
                 [range](ViewFilter& filter) { filter.range = range; });
    }
    if (ranges <= kMaxRanges) return;
    out_.push_back(
        {QObject::tr("Ranges: %1 more names are not searched")
             .arg(QLocale::c().toString(qulonglong(ranges - kMaxRanges))),
         QObject::tr("only the first %1 are").arg(QLocale::c().toString(qulonglong(kMaxRanges))),
         QObject::tr("Range"),
         {}});
  }

  void add_streams() {
    for (const StreamKey& stream : run_->launches.streams) {
      ViewFilter only;
      only.stream = stream;
      add_filter(parts_of(only, run_->timeline.zero_ns).front().text, QString(),
                 QObject::tr("Stream"), [stream](ViewFilter& filter) { filter.stream = stream; });
    }
  }

  QPointer<SelectionModel> selection_;
  std::shared_ptr<const OpenRun> run_;
  std::vector<PaletteEntry> out_;
};

}  // namespace

std::vector<PaletteEntry> entries_of(SelectionModel& selection) {
  return Entries(selection).take();
}

}  // namespace mansard::gui
