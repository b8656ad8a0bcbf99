// SPDX-License-Identifier: Apache-2.0
#include "gui/options.h"

#include <QCommandLineParser>
#include <QFileInfo>
#include <QRegularExpression>

#include "gui/views/run_views.h"

namespace mansard::gui {
namespace {

constexpr int kUsage = 2;

}  // namespace

ParsedOptions parse_options(const QStringList& arguments) {
  QCommandLineParser parser;
  parser.setApplicationDescription(
      QStringLiteral("Shows profiles in a window: roofline, timeline, kernels and analyses."));
  parser.addPositionalArgument(
      QStringLiteral("files"),
      QStringLiteral(
          "Profiles (.sqlite), PyTorch traces (.json, .json.gz), machine models (.json). Several "
          "profiles of different ranks, a quoted pattern such as 'run-*.sqlite', their summaries "
          "(.summary.sqlite), or a folder of either open as one job; other files in a tab each."),
      QStringLiteral("[files...]"));
  const auto option = [](const char* name, const char* text, const char* value = "") {
    return QCommandLineOption(QStringList{QString::fromUtf8(name)}, QString::fromUtf8(text),
                              QString::fromUtf8(value));
  };
  const QCommandLineOption machine(
      {QStringLiteral("m"), QStringLiteral("machine")},
      QStringLiteral("Machine model with the measured ceilings; may be repeated."),
      QStringLiteral("file"));
  const auto screenshot = option(
      "screenshot", "Save the window as a PNG file once the files are loaded, then exit.", "file");
  const auto size = option("size", "Window size (default: 1280x800).", "WxH");
  const auto theme =
      option("theme", "Color theme: light or dark (default: as the desktop).", "theme");
  const auto select = option("select", "Select the kernel with the N-th longest time.", "N");
  const auto filter = option("filter", "Show only kernels that match these words.", "words");
  const auto baseline = option("baseline", "Profile to compare the first file with.", "file");
  const auto summaries = option(
      "summaries", "Folder in which the summaries of a job's ranks are kept, to open it faster.",
      "folder");
  const auto tabs = option("tabs", "Open each file in its own tab, also the ranks of one job.");
  QStringList views;
  for (const RunViewSpec& spec : run_views()) views << QString::fromUtf8(spec.name);
  views << QStringLiteral("ranks") << QStringLiteral("tables");  // of a job
  const QCommandLineOption view(
      QStringLiteral("view"),
      QStringLiteral("Show this view in front: %1.").arg(views.join(QStringLiteral(", "))),
      QStringLiteral("view"));
  const QCommandLineOption force({QStringLiteral("f"), QStringLiteral("force")},
                                 QStringLiteral("Overwrite an existing screenshot."));
  parser.addOptions(
      {machine, screenshot, size, theme, select, filter, view, baseline, force, summaries, tabs});
  const QCommandLineOption help = parser.addHelpOption();
  const QCommandLineOption version = parser.addVersionOption();

  ParsedOptions parsed;
  const auto fail = [&parsed](const QString& error) {
    parsed.error = error;
    parsed.exit_code = kUsage;
    return parsed;
  };
  if (!parser.parse(QStringList{QStringLiteral("mansard-gui")} + arguments)) {
    return fail(parser.errorText() + QStringLiteral(" See mansard-gui --help."));
  }
  if (parser.isSet(help)) {
    parsed.output = parser.helpText();
    // There is no application object here, so Qt does not know the program's name.
    parsed.output.replace(QStringLiteral("<executable_name>"), QStringLiteral("mansard-gui"));
    parsed.exit_code = 0;
    return parsed;
  }
  if (parser.isSet(version)) {
    parsed.output = QStringLiteral("mansard-gui %1\n").arg(QStringLiteral(MANSARD_VERSION));
    parsed.exit_code = 0;
    return parsed;
  }

  GuiOptions& o = parsed.options;
  o.files = parser.positionalArguments();
  o.machines = parser.values(machine);
  o.screenshot = parser.value(screenshot);
  o.force = parser.isSet(force);
  o.filter = parser.value(filter);
  o.view = parser.value(view);
  o.baseline = parser.value(baseline);
  o.summaries = parser.value(summaries);
  o.tabs = parser.isSet(tabs);
  if (!o.view.isEmpty() && !views.contains(o.view)) {
    return fail(QStringLiteral("--view %1: must be one of %2.")
                    .arg(o.view, views.join(QStringLiteral(", "))));
  }
  if (!o.screenshot.isEmpty() && o.files.isEmpty()) {
    return fail(QStringLiteral("--screenshot %1: a file to open is required.").arg(o.screenshot));
  }
  if (!o.summaries.isEmpty() && (o.files.isEmpty() || o.tabs || !o.baseline.isEmpty())) {
    return fail(QStringLiteral("--summaries %1: needs the profiles of a job, without --tabs or "
                               "--baseline.")
                    .arg(o.summaries));
  }
  if (!o.baseline.isEmpty() && o.files.isEmpty()) {
    return fail(
        QStringLiteral("--baseline %1: a profile to compare with it is required.").arg(o.baseline));
  }
  if (parser.isSet(size)) {
    const auto match = QRegularExpression(QStringLiteral("^([1-9]\\d{2,4})x([1-9]\\d{2,4})$"))
                           .match(parser.value(size));
    if (!match.hasMatch()) {
      return fail(QStringLiteral("--size %1: expected WIDTHxHEIGHT, such as 1280x800.")
                      .arg(parser.value(size)));
    }
    o.size = {match.captured(1).toInt(), match.captured(2).toInt()};
  }
  if (parser.isSet(theme)) {
    const QString name = parser.value(theme);
    if (name != QLatin1String("light") && name != QLatin1String("dark")) {
      return fail(QStringLiteral("--theme %1: must be light or dark.").arg(name));
    }
    o.theme = name == QLatin1String("dark") ? figure::Theme::dark : figure::Theme::light;
  }
  if (parser.isSet(select)) {
    bool ok = false;
    o.select = parser.value(select).toInt(&ok);
    if (!ok || o.select < 1) {
      return fail(QStringLiteral("--select %1: must be a whole number, 1 or greater.")
                      .arg(parser.value(select)));
    }
  }
  if (!o.screenshot.isEmpty() && QFileInfo::exists(o.screenshot) && !o.force) {
    parsed.error = QStringLiteral("%1 already exists. Use -f to overwrite it.").arg(o.screenshot);
    parsed.exit_code = 1;
  }
  return parsed;
}

}  // namespace mansard::gui
