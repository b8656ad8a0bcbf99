// SPDX-License-Identifier: Apache-2.0
// The help window: list of pages on the left, the current page on the right.
#pragma once

#include <QUrl>
#include <QWidget>
#include <functional>

#include "gui/models/help_pages.h"

class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QTextBrowser;

namespace mansard::gui {

class HelpWindow : public QWidget {
  Q_OBJECT

 public:
  explicit HelpWindow(QWidget* parent = nullptr);

  // For example "gui.md" or "report.md#the-timeline". Does nothing if there is no such page.
  void open(const QString& page);
  // The current page, for example "gui.md".
  QString page() const;
  const HelpPages& pages() const { return pages_; }
  // Opens web links; default: the desktop's browser.
  void set_browser(std::function<void(const QUrl&)> browser) { browser_ = std::move(browser); }

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void follow(const QUrl& link);
  void show_page(const QUrl& url);
  void fill_list();
  void open_item(const QListWidgetItem* item);
  void mark_found();

  HelpPages pages_;
  std::function<void(const QUrl&)> browser_;
  QLineEdit* search_;
  QListWidget* list_;
  QTextBrowser* text_;
};

}  // namespace mansard::gui
