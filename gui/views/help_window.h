// SPDX-License-Identifier: Apache-2.0
// The documentation in a window of its own: pages at the left, the one that is read at the right.
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

  // "gui.md", "report.md#the-timeline"; shows nothing else where there is no such page.
  void open(const QString& page);
  // The page that is read: "gui.md".
  QString page() const;
  const HelpPages& pages() const { return pages_; }
  // What opens addresses of the web: the desktop's browser unless set.
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
