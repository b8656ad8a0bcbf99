// SPDX-License-Identifier: Apache-2.0
#include "gui/screenshot.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QPixmap>
#include <cstdio>

#include "gui/views/main_window.h"
#include "gui/views/run_page.h"

namespace mansard {
namespace {

void wait_for(RunDocument& document) {
  QEventLoop loop;
  QObject::connect(&document, &RunDocument::changed, &loop, &QEventLoop::quit);
  while (document.state() == RunDocument::State::loading) loop.exec();
}

}  // namespace

int take_screenshot(MainWindow& window, const GuiOptions& options) {
  bool shown = true;
  for (int i = 0; i < window.page_count(); ++i) {
    RunPage* page = window.page(i);
    wait_for(*page->document());
    if (page->document()->state() == RunDocument::State::failed) {
      std::fprintf(stderr, "mansard-gui: %s\n", qUtf8Printable(page->document()->error()));
      shown = false;
    }
    page->selection()->set_words(options.filter);
    if (options.select > 0) page->selection()->select(static_cast<std::size_t>(options.select - 1));
  }
  if (!options.view.isEmpty()) window.current_page()->raise_view(options.view);
  // The layout settles in the first pass, what depends on it (scrolling to the selection) after.
  QCoreApplication::processEvents();
  QCoreApplication::processEvents();
  if (!window.grab().save(options.screenshot)) {
    std::fprintf(stderr,
                 "mansard-gui: cannot write %s: no such folder, no permission, or not a "
                 "picture's name (use .png)\n",
                 qUtf8Printable(options.screenshot));
    return 1;
  }
  return shown ? 0 : 1;
}

}  // namespace mansard
