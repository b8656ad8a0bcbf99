// SPDX-License-Identifier: Apache-2.0
#include "gui/models/tool_outcome.h"

#include <QFileInfo>
#include <QObject>
#include <cstring>

namespace mansard::gui {
namespace {

QString name(const QString& file) { return QFileInfo(file).fileName(); }

QString signal_text(int exit_code) {
  const int number = exit_code - kSignalExitCode;
  const char* words = strsignal(number);
  return QObject::tr("signal %1 (%2)")
      .arg(number)
      .arg(QString::fromLocal8Bit(words == nullptr ? "" : words));
}

QString of_characterize(const ToolEnd& end) {
  const QString kept =
      end.partial.isEmpty()
          ? QString()
          : QObject::tr(" Finished measurements are kept in %1.").arg(name(end.partial));
  if (end.canceled && end.result.isEmpty()) return QObject::tr("Stopped.") + kept;
  if (end.crashed) return QObject::tr("Terminated by %1.").arg(signal_text(end.exit_code)) + kept;
  if (end.exit_code == 0 && !end.result.isEmpty()) {
    return QObject::tr("Machine model written to %1.").arg(name(end.result));
  }
  const QString why =
      end.last_said.isEmpty() ? QObject::tr("exit code %1").arg(end.exit_code) : end.last_said;
  return QObject::tr("Measurement failed: %1.%2")
      .arg(why.endsWith(u'.') ? why.chopped(1) : why, kept);
}

QString how_program_ended(const ToolEnd& end) {
  if (end.crashed)
    return QObject::tr("The profiler was terminated by %1.").arg(signal_text(end.exit_code));
  if (end.canceled) return QObject::tr("Stopped.");
  if (end.exit_code > kSignalExitCode) {
    return QObject::tr("The program was terminated by %1.").arg(signal_text(end.exit_code));
  }
  if (end.exit_code != 0) return QObject::tr("The program exited with code %1.").arg(end.exit_code);
  return {};
}

QString of_profile(const ToolEnd& end) {
  const QString ended = how_program_ended(end);
  if (!end.result.isEmpty()) {
    return ended.isEmpty()
               ? QObject::tr("Profile written to %1.").arg(name(end.result))
               : QObject::tr("%1 The profile up to then is in %2.").arg(ended, name(end.result));
  }
  if (end.canceled) return QObject::tr("Stopped before anything was recorded.");
  if (!end.last_said.isEmpty()) return QObject::tr("No profile written: %1").arg(end.last_said);
  return QObject::tr("No profile written. %1").arg(ended).trimmed();
}

}  // namespace

bool is_success(const ToolEnd& end) {
  return end.canceled || (!end.crashed && end.exit_code == 0 && !end.result.isEmpty());
}

QString describe(const ToolEnd& end) {
  return end.tool == ToolCommand::Tool::profile ? of_profile(end) : of_characterize(end);
}

}  // namespace mansard::gui
