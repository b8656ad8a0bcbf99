// SPDX-License-Identifier: Apache-2.0
#include "gui/screenshot.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QPixmap>
#include <QThreadPool>
#include <algorithm>
#include <cstdio>

#include "gui/views/main_window.h"
#include "gui/views/run_page.h"

namespace mansard::gui {
namespace {

void wait_for(RunDocument& document) {
  QEventLoop loop;
  QObject::connect(&document, &RunDocument::changed, &loop, &QEventLoop::quit);
  while (document.state() == RunDocument::State::loading) loop.exec();
}

}  // namespace

void show_asked(RunPage& page, const GuiOptions& options) {
  if (!options.filter.isEmpty()) page.selection()->set_words(options.filter);
  const auto run = page.document()->run();
  const auto row = static_cast<std::size_t>(std::max(options.select, 1)) - 1;
  if (options.select > 0 && run && row < run->rows.size()) page.selection()->select(row);
}

void show_asked_later(MainWindow& window, const GuiOptions& options) {
  RunPage* front = window.current_page();
  if (front != nullptr && !options.view.isEmpty()) front->raise_view(options.view);
  for (int i = 0; i < window.page_count(); ++i) {
    RunPage* page = window.page(i);
    auto* once = new QObject(page);
    QObject::connect(page->document(), &RunDocument::changed, once, [page, options, once] {
      if (page->document()->state() != RunDocument::State::ready) return;
      show_asked(*page, options);
      once->deleteLater();
    });
  }
}

int take_screenshot(MainWindow& window, const GuiOptions& options) {
  bool shown = true;
  for (int i = 0; i < window.page_count(); ++i) {
    RunPage* page = window.page(i);
    wait_for(*page->document());
    if (page->document()->state() == RunDocument::State::failed) {
      std::fprintf(stderr, "mansard-gui: %s\n", qUtf8Printable(page->document()->error()));
      shown = false;
    }
    show_asked(*page, options);
  }
  if (RunPage* front = window.current_page(); front != nullptr && !options.view.isEmpty()) {
    front->raise_view(options.view);
  }
  // The first pass completes the layout, the others what depends on it: scrolling to the selection,
  // and analyses that have become visible.
  for (int pass = 0; pass < 3; ++pass) {
    QCoreApplication::processEvents();
    QThreadPool::globalInstance()->waitForDone();
    QCoreApplication::processEvents();
  }
  if (!window.grab().save(options.screenshot)) {
    std::fprintf(stderr,
                 "mansard-gui: cannot write %s: check that the folder exists and is writable, "
                 "and that the name ends in .png\n",
                 qUtf8Printable(options.screenshot));
    return 1;
  }
  return shown ? 0 : 1;
}

}  // namespace mansard::gui
