// SPDX-License-Identifier: Apache-2.0
#include "gui/views/tool_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "gui/models/tool_status.h"
#include "gui/views/tool_log_view.h"

namespace mansard::gui {

ToolDialog::ToolDialog(const QString& title, const QString& program, QWidget* parent)
    : QDialog(parent),
      run_(nullptr, program),
      layout_(new QVBoxLayout(this)),
      command_(new QLineEdit(this)),
      problem_(new QLabel(this)),
      bar_(new QProgressBar(this)),
      status_(new QLabel(this)) {
  setWindowTitle(title);
  setModal(false);

  command_->setReadOnly(true);
  command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  command_->setAccessibleName(tr("Command line"));
  command_->setToolTip(tr("Equivalent command for a terminal"));
  auto* copy = new QPushButton(tr("&Copy"), this);
  copy->setToolTip(tr("Copy the command line"));
  copy->setAutoDefault(false);
  auto* command_row = new QHBoxLayout;
  command_row->addWidget(command_, 1);
  command_row->addWidget(copy);

  for (QLabel* label : {problem_, status_}) {
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
  }
  auto* log = new ToolLogView(&run_, this);
  auto* buttons = new QDialogButtonBox(this);
  start_ = buttons->addButton(tr("&Start"), QDialogButtonBox::ActionRole);
  open_ = buttons->addButton(tr("&Open result"), QDialogButtonBox::ActionRole);
  QPushButton* close_button = buttons->addButton(QDialogButtonBox::Close);
  start_->setDefault(true);
  close_button->setAutoDefault(false);

  layout_->addLayout(command_row);
  layout_->addWidget(problem_);
  layout_->addWidget(bar_);
  layout_->addWidget(status_);
  layout_->addWidget(log, 1);
  layout_->addWidget(buttons);
  resize(680, 640);

  tick_.setInterval(500);
  connect(&tick_, &QTimer::timeout, this, &ToolDialog::show_progress);
  connect(copy, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(command_->text()); });
  connect(start_, &QPushButton::clicked, this, &ToolDialog::start_or_stop);
  connect(open_, &QPushButton::clicked, this, [this] { Q_EMIT finished_with(run_.result()); });
  connect(buttons, &QDialogButtonBox::rejected, this, &ToolDialog::reject);
  connect(&run_, &ToolRun::state_changed, this, &ToolDialog::show_state);
  connect(&run_, &ToolRun::progress_changed, this, &ToolDialog::show_progress);
  connect(&run_, &ToolRun::recording_started, this, &ToolDialog::recording_started);
}

void ToolDialog::add_form(QWidget* form) {
  form_ = form;
  layout_->insertWidget(0, form);
  show_command();
  show_state();
}

void ToolDialog::show_command() {
  if (form_ == nullptr || run_.is_active()) return;
  command_->setText(shell_line(command()));
  command_->setCursorPosition(0);
  const QString why_not = problem();
  problem_->setText(why_not.isEmpty() ? hint() : why_not);
  problem_->setVisible(!problem_->text().isEmpty());
  start_->setEnabled(why_not.isEmpty());
}

void ToolDialog::start_or_stop() {
  if (run_.is_active()) return run_.cancel();
  show_command();  // files may have changed
  if (start_->isEnabled()) run_.start(command());
}

void ToolDialog::show_state() {
  const bool active = run_.is_active();
  form_->setEnabled(!active);
  start_->setText(active ? tr("&Stop") : tr("&Start"));
  start_->setEnabled(true);
  open_->setVisible(!active && !run_.result().isEmpty());
  bar_->setVisible(active);
  if (active) {
    tick_.start();
  } else {
    tick_.stop();
    if (question_) question_->deleteLater();
    show_command();
  }
  show_progress();
  if (open_->isVisibleTo(this)) open_->setFocus();
  // Deferred: this is called from a signal of the ended run, and `then` may delete the dialog.
  if (!active && after_stop_) QTimer::singleShot(0, this, std::exchange(after_stop_, {}));
}

void ToolDialog::show_progress() {
  status_->setText(status_text(run_));
  status_->setVisible(!status_->text().isEmpty());
  if (!run_.is_active()) return;
  // An empty range is shown as a busy indicator.
  bar_->setRange(0, static_cast<int>(run_.progress().total));
  bar_->setValue(static_cast<int>(run_.progress().done));
}

QMessageBox* ToolDialog::make_question(const QString& stop_text) {
  if (question_) delete question_.data();
  const bool profile = run_.command().tool == ToolCommand::Tool::profile;
  question_ = new QMessageBox(QMessageBox::Question, windowTitle(),
                              profile ? tr("The program is still being profiled.")
                                      : tr("The machine is still being measured."),
                              QMessageBox::NoButton, this);
  question_->setInformativeText(
      profile ? tr("Stop sends the program Ctrl-C (SIGINT). The profile up to then is kept.")
              : tr("Finished measurements are kept, and the measurement can be resumed."));
  question_->setAttribute(Qt::WA_DeleteOnClose);
  question_->addButton(stop_text, QMessageBox::DestructiveRole)->setObjectName("stop");
  return question_;
}

void ToolDialog::ask_to_stop(std::function<void()> then) {
  if (!run_.is_active()) return then();
  QMessageBox* question = make_question(tr("&Stop"));
  question->setDefaultButton(question->addButton(tr("&Keep running"), QMessageBox::RejectRole));
  connect(question, &QMessageBox::buttonClicked, this,
          [this, question, then = std::move(then)](QAbstractButton* button) {
            if (question->buttonRole(button) != QMessageBox::DestructiveRole) return;
            after_stop_ = then;
            run_.cancel();
          });
  question->open();
}

void ToolDialog::reject() {
  if (!run_.is_active()) return QDialog::reject();
  QMessageBox* question = make_question(tr("&Stop"));
  question->setDefaultButton(
      question->addButton(tr("Continue in &background"), QMessageBox::AcceptRole));
  question->addButton(QMessageBox::Cancel);
  connect(question, &QMessageBox::buttonClicked, this, [this, question](QAbstractButton* button) {
    switch (question->buttonRole(button)) {
      case QMessageBox::DestructiveRole:
        after_stop_ = [this] { hide(); };
        run_.cancel();
        break;
      case QMessageBox::AcceptRole:
        hide();
        break;
      default:
        break;
    }
  });
  question->open();
}

}  // namespace mansard::gui
