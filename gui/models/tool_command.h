// SPDX-License-Identifier: Apache-2.0
// The commands of Mansard that the window runs, made of what its forms ask for.
#pragma once

#include <QString>
#include <QStringList>

namespace mansard::gui {

struct ToolCommand {
  enum class Tool { characterize, profile };
  Tool tool = Tool::characterize;
  QStringList arguments;  // of `mansard`, the command first
  QString folder;         // to run in; empty: that of this program
  QString output;         // the file asked for, absolute; may be a pattern (%h, %p)
};

struct CharacterizeSettings {
  enum class Device { all, gpu, cpu };
  enum class Effort { quick, standard, full };
  QString output;
  bool replace = false;  // an output that exists, and what an interrupted run has left
  bool resume = false;   // an interrupted run
  Device device = Device::all;
  Effort effort = Effort::standard;
  QString only;  // names of ceilings, with commas or spaces between; empty: all
};

struct ProfileSettings {
  QString command;  // program and arguments, as split_shell_words() reads them
  QString folder;   // to run in; empty: that of this program
  QString output;   // within `folder` unless absolute
  bool replace = false;
  double delay_s = 0;
  double duration_s = 0;  // 0: to the end
  QString steps;          // "A:B"; empty: all
  QString step_range;     // prefix of the steps' names; only with `steps`; empty: the default
  QString capture_range;  // as --capture-range
  QString counters;       // as --counters; empty: none
  int gpu_metrics_period_us = 0;
  bool graphs_as_a_whole = false;
  QString further;  // options of `mansard profile` as typed
};

ToolCommand command_of(const CharacterizeSettings& settings);
ToolCommand command_of(const ProfileSettings& settings);

// Why it cannot be started, for people; empty when it can. Looks at the file system.
QString problem_of(const CharacterizeSettings& settings);
QString problem_of(const ProfileSettings& settings);

// What an interrupted run to `output` has left for --resume; empty: nothing.
QString interrupted_measurement(const QString& output);

// To be pasted into a shell.
QString shell_line(const ToolCommand& command);

// Absolute, within `folder`; "~/" is the home folder, as in a shell. Empty stays empty.
QString absolute_path(const QString& path, const QString& folder = {});

// `name` in the folder, or the first of name-2, name-3, ... that is not there yet.
QString unused_file(const QString& folder, const QString& name);

}  // namespace mansard::gui
