// SPDX-License-Identifier: Apache-2.0
// mansard-gui: shows profiles and machine models in a window.
#include <QApplication>
#include <QSettings>
#include <cstdio>

#include "gui/models/theme_choice.h"
#include "gui/options.h"
#include "gui/screenshot.h"
#include "gui/views/main_window.h"
#include "gui/views/theme.h"

int main(int argc, char** argv) {
  using namespace mansard;
  using namespace mansard::gui;
  // Parsed before Qt connects to a display, which help and usage errors do not need.
  QStringList arguments;
  for (int i = 1; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
  const auto parse = [](const QStringList& list) {
    const ParsedOptions parsed = parse_options(list);
    std::fputs(qUtf8Printable(parsed.output), stdout);
    if (!parsed.error.isEmpty()) {
      std::fprintf(stderr, "mansard-gui: %s\n", qUtf8Printable(parsed.error));
    }
    return parsed;
  };
  if (arguments.contains(QStringLiteral("--help")) || arguments.contains(QStringLiteral("-h")) ||
      arguments.contains(QStringLiteral("--version"))) {
    if (const ParsedOptions parsed = parse(arguments); parsed.exit_code) return *parsed.exit_code;
  }

  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("mansard-gui"));
  QApplication::setApplicationVersion(QStringLiteral(MANSARD_VERSION));
  // QApplication has removed Qt's own options (-platform, -style) by now.
  const ParsedOptions parsed = parse(QApplication::arguments().mid(1));
  if (parsed.exit_code) return *parsed.exit_code;

  const GuiOptions& options = parsed.options;
  const bool for_picture = !options.screenshot.isEmpty();
  QSettings settings(QStringLiteral("mansard"), QStringLiteral("mansard-gui"));
  // A picture depends on its options only.
  const ThemeChoice theme = options.theme || for_picture ? options.theme : read_theme(settings);
  if (theme) apply_theme(application, *theme);
  MainWindow window(options.machines, for_picture ? nullptr : &settings);
  window.resize(options.size);
  window.restore_looks();
  if (options.files.isEmpty()) {
    window.restore_session();
  } else {
    // A comparison is of single profiles.
    if (options.tabs || !options.baseline.isEmpty()) {
      window.open(options.files);
    } else {
      window.open_arguments(options.files, options.summaries);
    }
    if (!options.baseline.isEmpty()) window.compare(options.files.front(), options.baseline);
  }
  window.show();
  if (!for_picture) show_asked_later(window, options);
  return for_picture ? take_screenshot(window, options) : QApplication::exec();
}
