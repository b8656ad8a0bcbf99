// SPDX-License-Identifier: Apache-2.0
#include "gui/views/goodput_fields.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QToolButton>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <variant>

#include "gui/views/painting.h"

namespace mansard::gui {

using analysis::GoodputInputs;

// A field: an input of GoodputStudy::inputs, whose amount it shows in another unit.
struct GoodputFields::Kind {
  using Number = std::optional<double> GoodputInputs::*;
  using Count = std::optional<std::int64_t> GoodputInputs::*;

  const char* input;
  const char* label;  // of the field: shorter than the input's name
  const char* unit;
  double scale;  // amount of the input per unit of the field
  int decimals;
  double least;  // in the unit of the field
  double most;
  const char* none;  // shown at `least`, which then stands for no value; null: there is no such
  std::variant<Number, Count> member;
  const char* tool_tip;
};

const std::vector<GoodputFields::Kind>& GoodputFields::kinds() {
  using I = GoodputInputs;
  static const std::vector<Kind> all = {
      {"GPUs", "GPUs", "", 1, 0, 1, 1e7, nullptr, &I::gpus, "GPUs of the job"},
      {"GPUs per node", "GPUs per node", "", 1, 0, 1, 1e4, nullptr, &I::gpus_per_node,
       "GPUs that fail together"},
      {"time between failures of a GPU", "time between failures of a GPU", " h", 1, 0, 1, 1e9,
       nullptr, &I::gpu_mtbf_h, "Mean; that of the job is this over the number of its GPUs"},
      {"wall time", "wall time", " days", 1, 1, 0.1, 1e5, nullptr, &I::days, "Length of the run"},
      {"step without synchronization", "step without sync.", " ms", 1e-3, 3, 0.001, 1e9, nullptr,
       &I::step_s, "Step time without exposed synchronization of gradients and parameters"},
      {"exposed synchronization per step, background", "exposed sync., background", " ms", 1e-3, 3,
       0, 1e9, nullptr, &I::sync_exposed_s,
       "Per step, beside compute. Measured: exposed communication of all collectives"},
      {"synchronization per step, foreground", "sync., foreground", " ms", 1e-3, 3, 0, 1e9, nullptr,
       &I::sync_s, "Per step, if nothing overlaps. Measured: all communication"},
      {"parameters", "model parameters", " billion", 1e9, 2, 0.01, 1e6, nullptr, &I::parameters,
       "Checkpoints have 14 bytes per parameter: BF16 weight, FP32 master weight, two moments"},
      {"storage bandwidth of the job", "storage bandwidth", " GB/s", 1, 1, 0.1, 1e7, nullptr,
       &I::storage_gb_per_s, "For the whole job"},
      {"blocking save time", "save, blocking", " s", 1, 2, 0, 1e7, nullptr, &I::save_s,
       "Time for which a save blocks training"},
      {"background write time", "write, background", " s", 1, 2, 0, 1e7, nullptr, &I::write_s,
       "Time to write the checkpoint afterwards, during which it cannot be loaded"},
      {"load time", "load", " s", 1, 2, 0, 1e7, nullptr, &I::load_s, "Time to load a checkpoint"},
      {"checkpoint interval", "checkpoint interval", " s", 1, 1, 0, 1e9, "best", &I::every_s,
       "Training time from one checkpoint to the next"},
      {"detection time", "detection", " s", 1, 1, 0, 1e7, nullptr, &I::detect_s,
       "From a failure until the job is stopped"},
      {"restart time", "restart", " s", 1, 1, 0, 1e7, nullptr, &I::restart_s,
       "To replace a node and start processes and communicators"},
      {"spare nodes", "spare nodes", "", 1, 0, -1, 1e6, "always available", &I::spares,
       "Nodes that replace failed ones"},
      {"repair time of a node", "repair of a node", " h", 1, 1, 0, 1e6, nullptr, &I::repair_h,
       "Mean time until a failed node is a spare again"},
  };
  return all;
}

namespace {

QComboBox* choice(const QStringList& names, const QString& tool_tip) {
  auto* box = new QComboBox;
  box->addItems(names);
  box->setToolTip(tool_tip);
  return box;
}

// The wheel scrolls the form instead of changing a value under the cursor.
class CalmSpinBox : public QDoubleSpinBox {
 public:
  using QDoubleSpinBox::QDoubleSpinBox;

 protected:
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

}  // namespace

GoodputFields::GoodputFields(QWidget* parent)
    : QWidget(parent),
      synchronization_(choice({tr("background"), tr("foreground")},
                              tr("Background: beside compute. Foreground: nothing overlaps"))),
      recovery_(choice({tr("full"), tr("partial"), tr("partial, of replicas")},
                       tr("Full: all nodes return to the checkpoint. Partial: only the failed "
                          "node does; samples are lost. Of replicas: the others train on"))),
      without_spare_(choice({tr("wait"), tr("shrink")},
                            tr("If all spares are in repair: wait for one, or continue with fewer "
                               "data-parallel replicas"))) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(10, 4, 6, 6);
  grid->setVerticalSpacing(2);
  grid->setColumnStretch(1, 1);
  int line = 0;
  const auto add = [&](const QString& name, QWidget* box) {
    auto* label = new QLabel(name);
    label->setBuddy(box);
    box->setAccessibleName(name);
    grid->addWidget(label, line, 0);
    grid->addWidget(box, line, 1);
    ++line;
  };
  fields_.reserve(kinds().size());
  for (const Kind& kind : kinds()) {
    auto* box = new CalmSpinBox;
    box->setDecimals(kind.decimals);
    box->setRange(kind.least, kind.most);
    box->setGroupSeparatorShown(true);
    box->setKeyboardTracking(false);  // recomputed when a number is complete
    box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    box->setSuffix(tr(kind.unit));
    box->setToolTip(tr(kind.tool_tip));
    box->setMaximumWidth(170);
    if (kind.none != nullptr) box->setSpecialValueText(tr(kind.none));
    if (kind.none != nullptr) box->setValue(kind.least);
    Field field{&kind, box, new QLabel, new QToolButton};
    field.source->setTextFormat(Qt::PlainText);
    field.source->setForegroundRole(QPalette::PlaceholderText);
    field.source->setMinimumWidth(70);
    field.undo->setText(QStringLiteral("\u21ba"));
    field.undo->setAutoRaise(true);
    field.undo->setToolTip(tr("Return to the default or measured value"));
    QSizePolicy keeps = field.undo->sizePolicy();
    keeps.setRetainSizeWhenHidden(true);
    field.undo->setSizePolicy(keeps);
    field.undo->hide();
    grid->addWidget(field.source, line, 2);
    grid->addWidget(field.undo, line, 3);
    add(tr(kind.label), box);
    fields_.push_back(field);
    connect(box, &QDoubleSpinBox::valueChanged, this, [this, field] { edit(field); });
    connect(field.undo, &QToolButton::clicked, this, [this, field] { undo(field); });
  }
  add(tr("synchronization"), synchronization_);
  add(tr("recovery"), recovery_);
  add(tr("without a spare node"), without_spare_);
  grid->setRowStretch(line, 1);
  for (QComboBox* box : {synchronization_, recovery_, without_spare_}) {
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      using namespace analysis;
      inputs_.synchronization = synchronization_->currentIndex() == 0 ? Synchronization::background
                                                                      : Synchronization::foreground;
      inputs_.recovery = recovery_->currentIndex() == 0 ? Recovery::full : Recovery::partial;
      inputs_.replicated = recovery_->currentIndex() == 2;
      inputs_.without_spare =
          without_spare_->currentIndex() == 0 ? WithoutSpare::wait : WithoutSpare::shrink;
      Q_EMIT edited();
    });
  }
}

void GoodputFields::edit(const Field& field) {
  const Kind& kind = *field.kind;
  const double value = field.box->value();
  const bool none = kind.none != nullptr && value <= kind.least;
  if (const auto* number = std::get_if<Kind::Number>(&kind.member)) {
    inputs_.** number = none ? std::nullopt : std::optional(value * kind.scale);
  } else {
    inputs_.*std::get<Kind::Count>(kind.member) =
        none ? std::nullopt : std::optional<std::int64_t>(std::llround(value));
  }
  Q_EMIT edited();
}

void GoodputFields::undo(const Field& field) {
  std::visit([this](auto member) { (inputs_.*member).reset(); }, field.kind->member);
  Q_EMIT edited();
}

void GoodputFields::reset() {
  inputs_ = {};
  for (QComboBox* box : {synchronization_, recovery_, without_spare_}) {
    const QSignalBlocker blocker(box);
    box->setCurrentIndex(0);
  }
  Q_EMIT edited();
}

void GoodputFields::show_used(const std::vector<analysis::GoodputInput>& used) {
  for (const Field& field : fields_) {
    const Kind& kind = *field.kind;
    const bool edited =
        std::visit([this](auto member) { return (inputs_.*member).has_value(); }, kind.member);
    const auto input = std::ranges::find(used, kind.input, &analysis::GoodputInput::name);
    const bool known = input != used.end();
    // A value that is never used cannot be edited, except one that may be given.
    field.box->setEnabled(known || kind.none != nullptr);
    field.undo->setVisible(edited);
    if (!edited) {
      const QSignalBlocker blocker(field.box);
      if (known && input->amount) {
        field.box->setValue(*input->amount / kind.scale);
      } else if (kind.none != nullptr) {
        field.box->setValue(kind.least);
      }
    }
    const QString source = edited ? tr("edited") : known ? to_qstring(input->source) : QString();
    // "assumed: why" and "checkpoint / storage bandwidth" have room in the tooltip only.
    const bool short_enough = source.size() < 12;
    field.source->setText(short_enough                                    ? source
                          : source.startsWith(QStringLiteral("assumed"))  ? tr("assumed")
                          : source.startsWith(QStringLiteral("measured")) ? tr("measured")
                                                                          : tr("default"));
    field.source->setToolTip(source);
  }
  without_spare_->setEnabled(inputs_.spares.has_value());
}

QDoubleSpinBox* GoodputFields::field(std::string_view input) const {
  const auto found =
      std::ranges::find_if(fields_, [&](const Field& field) { return field.kind->input == input; });
  return found == fields_.end() ? nullptr : found->box;
}

QString GoodputFields::source(std::string_view input) const {
  const auto found =
      std::ranges::find_if(fields_, [&](const Field& field) { return field.kind->input == input; });
  return found == fields_.end() ? QString() : found->source->text();
}

}  // namespace mansard::gui
