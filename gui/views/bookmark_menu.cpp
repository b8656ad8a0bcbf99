// SPDX-License-Identifier: Apache-2.0
#include "gui/views/bookmark_menu.h"

#include <QInputDialog>
#include <QLineEdit>

#include "gui/models/bookmarks.h"
#include "gui/models/row_facts.h"
#include "gui/views/painting.h"
#include "gui/views/run_page.h"

namespace mansard::gui {
namespace {

// Describes the current selection and filter, as a default name.
QString proposed_name(const ViewState& state, const OpenRun& run) {
  QStringList parts;
  if (state.row && *state.row < run.analysis.rows.size()) {
    parts << display_name(run.analysis.rows[*state.row]);
  }
  for (const FilterPart& part : parts_of(state.filter, run.timeline.zero_ns)) parts << part.text;
  return parts.isEmpty() ? QObject::tr("whole profile") : parts.join(QStringLiteral(", "));
}

void restore(RunPage& page, const ViewState& state) {
  if (const auto run = page.document()->open_run()) {
    page.selection()->restore(fitted(state, *run));
  }
}

}  // namespace

BookmarkMenu::BookmarkMenu(QSettings* settings, std::function<RunPage*()> page, QWidget* parent)
    : QMenu(tr("&Bookmarks"), parent), settings_(settings), page_(std::move(page)) {
  setEnabled(settings_ != nullptr);
  if (settings_ != nullptr) connect(this, &QMenu::aboutToShow, this, &BookmarkMenu::fill);
}

bool BookmarkMenu::add(const QString& name) {
  RunPage* page = page_();
  if (settings_ == nullptr || page == nullptr) return false;
  return Bookmarks(settings_, page->document()->file()).set(name, page->selection()->state());
}

void BookmarkMenu::go_to(int number) {
  RunPage* page = page_();
  if (settings_ == nullptr || page == nullptr || number < 1) return;
  const Bookmarks bookmarks(settings_, page->document()->file());
  const auto index = static_cast<std::size_t>(number) - 1;
  if (index < bookmarks.all().size()) restore(*page, bookmarks.all()[index].state);
}

void BookmarkMenu::ask_for_name() {
  RunPage* page = page_();
  const auto run = page == nullptr ? nullptr : page->document()->open_run();
  if (!run) return;
  bool ok = false;
  const QString name =
      QInputDialog::getText(this, tr("Add bookmark"), tr("Name:"), QLineEdit::Normal,
                            proposed_name(page->selection()->state(), *run), &ok);
  if (ok) add(name);
}

void BookmarkMenu::fill() {
  clear();
  RunPage* page = page_();
  QAction* adding = addAction(tr("&Add bookmark..."), this, &BookmarkMenu::ask_for_name);
  adding->setEnabled(page != nullptr && page->document()->open_run());
  if (page == nullptr) return;
  const QString file = page->document()->file();
  const std::vector<Bookmark> all = Bookmarks(settings_, file).all();
  if (all.empty()) return;
  addSeparator();
  for (std::size_t i = 0; i < all.size(); ++i) {
    addAction(without_mnemonic(all[i].name), this,
              [this, number = static_cast<int>(i) + 1] { go_to(number); });
  }
  addSeparator();
  QMenu* removing = addMenu(tr("&Remove"));
  for (const Bookmark& bookmark : all) {
    removing->addAction(without_mnemonic(bookmark.name), this, [this, file, name = bookmark.name] {
      Bookmarks(settings_, file).remove(name);
    });
  }
}

}  // namespace mansard::gui
