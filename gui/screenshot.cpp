// SPDX-License-Identifier: Apache-2.0
#include "gui/screenshot.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QPixmap>
#include <QThreadPool>
#include <algorithm>
#include <cstdio>

#include "gui/views/job_page.h"
#include "gui/views/main_window.h"
#include "gui/views/run_page.h"

namespace mansard::gui {
namespace {

void wait_for(Document& document) {
  QEventLoop loop;
  QObject::connect(&document, &Document::changed, &loop, &QEventLoop::quit);
  while (document.state() == Document::State::loading) loop.exec();
}

void raise_asked(MainWindow& window, const GuiOptions& options) {
  if (options.view.isEmpty()) return;
  if (RunPage* front = window.current_page()) front->raise_view(options.view);
  if (JobPage* front = window.current_job()) front->raise_view(options.view);
}

// False, with the reason on stderr, if it cannot be shown.
bool is_shown(Document& document) {
  wait_for(document);
  if (document.state() != Document::State::failed) return true;
  std::fprintf(stderr, "mansard-gui: %s\n", qUtf8Printable(document.error()));
  return false;
}

}  // namespace

void show_asked(RunPage& page, const GuiOptions& options) {
  if (!options.filter.isEmpty()) page.selection()->set_words(options.filter);
  const auto run = page.document()->run();
  const auto row = static_cast<std::size_t>(std::max(options.select, 1)) - 1;
  if (options.select > 0 && run && row < run->rows.size()) page.selection()->select(row);
}

void show_asked_later(MainWindow& window, const GuiOptions& options) {
  raise_asked(window, options);
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
    shown = is_shown(*page->document()) && shown;
    show_asked(*page, options);
  }
  for (JobPage* job : window.jobs()) shown = is_shown(*job->document()) && shown;
  raise_asked(window, options);
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
