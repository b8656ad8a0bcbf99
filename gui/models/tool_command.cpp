// SPDX-License-Identifier: Apache-2.0
#include "gui/models/tool_command.h"

#include <QDir>
#include <QFileInfo>
#include <QObject>
#include <QRegularExpression>

#include "gui/models/shell_words.h"

namespace mansard::gui {
namespace {

QStringList ceilings(const QString& text) {
  static const QRegularExpression between(QStringLiteral("[,\\s]+"));
  return text.split(between, Qt::SkipEmptyParts);
}

void add(QStringList& arguments, const char* option, const QString& value) {
  if (value.isEmpty()) return;
  // As one word, so that a value that starts with a dash is not parsed as an option.
  arguments << QString::fromLatin1(option) + u'=' + value;
}

void add(QStringList& arguments, const char* option, double value) {
  if (value > 0) add(arguments, option, QString::number(value, 'g', 10));
}

QString problem_of_output(const QString& output, bool replace) {
  if (output.isEmpty()) return QObject::tr("Enter an output file.");
  const QFileInfo file(output);
  if (file.isDir()) return QObject::tr("%1 is a folder.").arg(output);
  if (!QFileInfo(file.path()).isDir()) {
    return QObject::tr("The folder %1 does not exist.").arg(file.path());
  }
  if (file.exists() && !replace) return QObject::tr("%1 already exists.").arg(file.fileName());
  return {};
}

}  // namespace

QString absolute_path(const QString& path, const QString& folder) {
  if (path.isEmpty()) return {};
  if (path == u'~') return QDir::homePath();
  const QString whole = path.startsWith(QStringLiteral("~/")) ? QDir::homePath() + path.mid(1)
                        : folder.isEmpty()                    ? path
                                           : QDir(absolute_path(folder)).filePath(path);
  return QDir::cleanPath(QFileInfo(whole).absoluteFilePath());
}

ToolCommand command_of(const CharacterizeSettings& s) {
  ToolCommand command;
  command.output = absolute_path(s.output);
  QStringList& a = command.arguments;
  a << QStringLiteral("characterize") << QStringLiteral("-o") << command.output;
  if (s.replace) a << QStringLiteral("-f");
  if (s.resume) a << QStringLiteral("--resume");
  if (s.device != CharacterizeSettings::Device::all) {
    const bool cpu = s.device == CharacterizeSettings::Device::cpu;
    add(a, "--device", cpu ? QStringLiteral("cpu") : QStringLiteral("gpu"));
  }
  if (s.effort == CharacterizeSettings::Effort::quick) a << QStringLiteral("--quick");
  if (s.effort == CharacterizeSettings::Effort::full) a << QStringLiteral("--full");
  add(a, "--only", ceilings(s.only).join(u','));
  return command;
}

ToolCommand command_of(const ProfileSettings& s) {
  ToolCommand command;
  command.tool = ToolCommand::Tool::profile;
  command.folder = absolute_path(s.folder);
  command.output = absolute_path(s.output, command.folder);
  QStringList& a = command.arguments;
  a << QStringLiteral("profile") << QStringLiteral("-o") << command.output;
  if (s.replace) a << QStringLiteral("-f");
  add(a, "--delay", s.delay_s);
  add(a, "--duration", s.duration_s);
  add(a, "--steps", s.steps.trimmed());
  if (!s.steps.trimmed().isEmpty()) add(a, "--step-range", s.step_range);
  add(a, "--capture-range", s.capture_range);
  add(a, "--counters", s.counters);
  add(a, "--gpu-metrics-period", s.gpu_metrics_period_us);
  if (s.graphs_as_a_whole) add(a, "--cuda-graph-trace", QStringLiteral("graph"));
  a << split_shell_words(s.further).words << QStringLiteral("--")
    << split_shell_words(s.command).words;
  return command;
}

QString problem_of(const CharacterizeSettings& s) {
  const QString output = absolute_path(s.output);
  const QString left = interrupted_measurement(output);
  if (s.resume && left.isEmpty()) {
    return QObject::tr("There is no interrupted measurement to resume.");
  }
  if (!left.isEmpty() && !s.resume && !s.replace) {
    return QObject::tr("%1 contains an interrupted measurement: resume it or replace it.")
        .arg(QFileInfo(left).fileName());
  }
  return problem_of_output(output, s.replace);
}

QString problem_of(const ProfileSettings& s) {
  const ShellWords command = split_shell_words(s.command);
  if (!command.problem.isEmpty()) return command.problem;
  if (command.words.isEmpty() || command.words.front().isEmpty()) {
    return QObject::tr("Enter the program to profile.");
  }
  const ShellWords further = split_shell_words(s.further);
  if (!further.problem.isEmpty()) return further.problem;
  if (further.words.contains(QStringLiteral("--"))) {
    return QObject::tr("Remove -- from the options; it is inserted before the program.");
  }
  const QString folder = absolute_path(s.folder);
  if (!folder.isEmpty() && !QFileInfo(folder).isDir()) {
    return QObject::tr("The folder %1 does not exist.").arg(folder);
  }
  static const QRegularExpression steps(QStringLiteral("^\\s*(\\d*:\\d*)?\\s*$"));
  if (!steps.match(s.steps).hasMatch()) {
    return QObject::tr("Enter the steps as A:B, for example 10:15.");
  }
  return problem_of_output(absolute_path(s.output, folder), s.replace);
}

QString interrupted_measurement(const QString& output) {
  const QString file = absolute_path(output) + QStringLiteral(".partial");
  return !output.isEmpty() && QFileInfo(file).isFile() ? file : QString();
}

QString shell_line(const ToolCommand& command) {
  const QString line = join_shell_words(QStringList{QStringLiteral("mansard")} + command.arguments);
  if (command.folder.isEmpty() || command.folder == QDir::currentPath()) return line;
  return QStringLiteral("cd %1 && %2").arg(join_shell_words({command.folder}), line);
}

QString unused_file(const QString& folder, const QString& name) {
  const QDir in(folder);
  const QFileInfo wanted(name);
  QString file = in.filePath(name);
  for (int number = 2; QFileInfo::exists(file); ++number) {
    file = in.filePath(
        QStringLiteral("%1-%2.%3").arg(wanted.completeBaseName()).arg(number).arg(wanted.suffix()));
  }
  return file;
}

}  // namespace mansard::gui
