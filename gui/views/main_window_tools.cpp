// SPDX-License-Identifier: Apache-2.0
// What opens beside the pages of the window: help, the palette, dialogs of live tools.
#include <QDockWidget>
#include <QPointer>
#include <QStatusBar>

#include "gui/models/run_entries.h"
#include "gui/views/characterize_dialog.h"
#include "gui/views/help_window.h"
#include "gui/views/main_window.h"
#include "gui/views/profile_dialog.h"
#include "gui/views/run_page.h"
#include "gui/views/search_palette.h"
#include "gui/views/tab_sides.h"

namespace mansard::gui {

HelpWindow& MainWindow::help_window() {
  if (help_ == nullptr) {
    help_ = new HelpWindow(this);
    help_->setWindowFlag(Qt::Window);
  }
  return *help_;
}

void MainWindow::help(const QString& page) {
  help_window().open(page);
  help_->show();
  help_->raise();
}

SearchPalette* MainWindow::palette_of_names() {
  if (palette_ == nullptr) palette_ = new SearchPalette(this);
  return palette_;
}

void MainWindow::ask_palette() {
  std::vector<PaletteEntry> entries;
  if (RunPage* page = current_page()) entries = entries_of(*page->selection());
  for (int i = 0; i < page_count(); ++i) {
    QPointer<RunPage> other = page(i);
    entries.push_back(
        {other->document()->title(), other->document()->file(), tr("Open run"), [this, other] {
           if (other) sides_->set_current(other);
         }});
  }
  fill_compare_menu();  // which else are filled as they open
  fill_view_menu();
  for (PaletteEntry& command : entries_of(*menuBar())) entries.push_back(std::move(command));
  if (RunPage* page = current_page()) {
    for (QDockWidget* dock : page->docks()) {
      entries.push_back({dock->windowTitle(),
                         {},
                         tr("View"),
                         [shown = QPointer<RunPage>(page), name = dock->objectName()] {
                           if (shown) shown->raise_view(name);
                         }});
    }
  }
  for (PaletteEntry& page :
       entries_of(help_window().pages(), [this](const QString& link) { help(link); })) {
    entries.push_back(std::move(page));
  }
  palette_of_names()->ask(std::move(entries));
}

CharacterizeDialog* MainWindow::characterize() {
  if (characterize_ == nullptr) wire(characterize_ = new CharacterizeDialog(this));
  characterize_->show();
  characterize_->raise();
  return characterize_;
}

ProfileDialog* MainWindow::profile() {
  if (profile_ == nullptr) wire(profile_ = new ProfileDialog(this));
  profile_->show();
  profile_->raise();
  return profile_;
}

void MainWindow::wire(ToolDialog* dialog) {
  connect(dialog, &ToolDialog::finished_with, this, [this](const QString& file) {
    if (RunPage* shown = page_of(file)) shown->document()->reload();
    open({file});
  });
  connect(dialog, &ToolDialog::recording_started, this, [this](const QString& file) {
    statusBar()->showMessage(tr("Recording %1").arg(file));
    open({file});
  });
}

bool MainWindow::stop_tools() {
  for (ToolDialog* dialog :
       {static_cast<ToolDialog*>(characterize_), static_cast<ToolDialog*>(profile_)}) {
    if (dialog == nullptr || !dialog->is_running()) continue;
    dialog->ask_to_stop([this] { close(); });
    return false;
  }
  return true;
}

}  // namespace mansard::gui
