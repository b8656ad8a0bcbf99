// SPDX-License-Identifier: Apache-2.0
// Command lines of `mansard`, built from the dialogs' settings.
#pragma once

#include <QString>
#include <QStringList>

namespace mansard::gui {

struct ToolCommand {
  enum class Tool { characterize, profile };
  Tool tool = Tool::characterize;
  QStringList arguments;  // arguments of `mansard`, starting with the command
  QString folder;         // working folder; empty: that of this program
  QString output;         // requested output file, absolute; may be a pattern (%h, %p)
};

struct CharacterizeSettings {
  enum class Device { all, gpu, cpu };
  enum class Effort { quick, standard, full };
  QString output;
  bool replace = false;  // overwrite an existing output and the rest of an interrupted run
  bool resume = false;   // resume an interrupted run
  Device device = Device::all;
  Effort effort = Effort::standard;
  QString only;  // ceiling names separated by commas or spaces; empty: all
};

struct ProfileSettings {
  QString command;  // program and arguments, as split_shell_words() reads them
  QString folder;   // working folder; empty: that of this program
  QString output;   // relative to `folder` unless absolute
  bool replace = false;
  double delay_s = 0;
  double duration_s = 0;  // 0: until the program exits
  QString steps;          // "A:B"; empty: all
  QString step_range;     // name prefix of step ranges; only with `steps`; empty: the default
  QString capture_range;  // value of --capture-range
  QString counters;       // value of --counters; empty: the default
  int gpu_metrics_period_us = 0;
  bool graphs_as_a_whole = false;
  QString further;  // additional options of `mansard profile`, as typed
};

ToolCommand command_of(const CharacterizeSettings& settings);
ToolCommand command_of(const ProfileSettings& settings);

// Why the command cannot be started, as text for the user; empty if it can. Accesses the file
// system.
QString problem_of(const CharacterizeSettings& settings);
QString problem_of(const ProfileSettings& settings);

// The file that an interrupted run to `output` left for --resume; empty if none.
QString interrupted_measurement(const QString& output);

// Quoted for a shell.
QString shell_line(const ToolCommand& command);

// Absolute path, relative to `folder`; "~/" is the home folder. Empty stays empty.
QString absolute_path(const QString& path, const QString& folder = {});

// `name` in the folder, or the first of name-2, name-3, ... that does not exist yet.
QString unused_file(const QString& folder, const QString& name);

}  // namespace mansard::gui
