// SPDX-License-Identifier: Apache-2.0
#include "gui/views/help_window.h"

#include <QDesktopServices>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QVBoxLayout>

namespace mansard::gui {
namespace {

constexpr int kLinkRole = Qt::UserRole;
constexpr int kMargin_px = 18;

// Qt draws Markdown's tables with heavy frames and without room in their cells.
void give_tables_room(QTextDocument& document, const QColor& line) {
  for (QTextFrame* frame : document.rootFrame()->childFrames()) {
    auto* table = qobject_cast<QTextTable*>(frame);
    if (table == nullptr) continue;
    QTextTableFormat format = table->format();
    format.setCellPadding(4);
    format.setCellSpacing(0);
    format.setBorder(1);
    format.setBorderBrush(line);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderCollapse(true);
    format.setTopMargin(6);
    format.setBottomMargin(10);
    table->setFormat(format);
  }
}

// Pictures of a page are found beside it in the resources.
class PageText : public QTextBrowser {
 public:
  using QTextBrowser::QTextBrowser;
  void set_page(const HelpPage& page) {
    file_ = page.file;
    // Made ready before it is laid out, which takes long and would be done again for each table.
    auto* made = new QTextDocument(this);
    made->setDocumentMargin(kMargin_px);
    made->setDefaultFont(font());
    made->setMarkdown(page.markdown);
    QColor line = palette().color(QPalette::Text);
    line.setAlphaF(0.3F);  // Mid is lost on a dark ground
    give_tables_room(*made, line);
    setExtraSelections({});  // of the document that goes
    const QPointer<QTextDocument> before = document();
    setDocument(made);
    delete before;  // unless it was the first, which went by itself
  }

 protected:
  QVariant loadResource(int type, const QUrl& name) override {
    if (type != QTextDocument::ImageResource || !name.isRelative()) return {};
    return QImage(help_resource(resolve_link(file_, name).path()));
  }

 private:
  QString file_;
};

}  // namespace

HelpWindow::HelpWindow(QWidget* parent)
    : QWidget(parent, Qt::Window),
      browser_([](const QUrl& url) { QDesktopServices::openUrl(url); }),
      search_(new QLineEdit(this)),
      list_(new QListWidget(this)),
      text_(new PageText(this)) {
  setWindowTitle(tr("Mansard help"));
  resize(1000, 720);
  search_->setPlaceholderText(tr("Search all pages"));
  search_->setClearButtonEnabled(true);
  search_->setAccessibleName(tr("Search all pages"));
  list_->setAccessibleName(tr("Pages"));
  list_->setWordWrap(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setSpacing(1);
  text_->setOpenLinks(false);
  text_->setAccessibleName(tr("Page"));

  auto* left = new QWidget(this);
  auto* left_layout = new QVBoxLayout(left);
  left_layout->setContentsMargins(0, 0, 0, 0);
  left_layout->addWidget(search_);
  left_layout->addWidget(list_, 1);
  auto* splitter = new QSplitter(this);
  splitter->addWidget(left);
  splitter->addWidget(text_);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({270, 730});
  auto* layout = new QHBoxLayout(this);
  layout->addWidget(splitter);

  connect(search_, &QLineEdit::textChanged, this, &HelpWindow::find_text);
  connect(search_, &QLineEdit::returnPressed, this, [this] {
    if (list_->count() == 0) return;
    const int next = (list_->currentRow() + 1) % list_->count();
    list_->setCurrentRow(next);
  });
  connect(list_, &QListWidget::currentItemChanged, this,
          [this](QListWidgetItem* item) { open_item(item); });
  connect(list_, &QListWidget::itemClicked, this, &HelpWindow::open_item);
  connect(text_, &QTextBrowser::anchorClicked, this, &HelpWindow::follow);
  list_pages();
  open(QStringLiteral("gui.md"));
}

void HelpWindow::list_pages() {
  const QSignalBlocker quiet(list_);
  list_->clear();
  for (const HelpPage& page : pages_.all()) {
    auto* item = new QListWidgetItem(page.title, list_);
    item->setData(kLinkRole, page.file);
    item->setToolTip(page.file);
    if (page.file == page_) list_->setCurrentItem(item);
  }
}

void HelpWindow::find_text() {
  if (search_->text().trimmed().isEmpty()) {
    list_pages();
    return mark_found();
  }
  {
    const QSignalBlocker quiet(list_);
    list_->clear();
    for (const HelpHit& hit : pages_.search(search_->text())) {
      const HelpPage& page = pages_.all()[hit.page];
      auto* item = new QListWidgetItem(page.title + u'\n' + hit.line, list_);
      item->setData(kLinkRole, hit.anchor.isEmpty() ? page.file : page.file + u'#' + hit.anchor);
      item->setToolTip(page.file);
    }
    if (list_->count() == 0) {
      new QListWidgetItem(tr("No page has all of these words in one line."), list_);
    }
  }
  mark_found();
}

void HelpWindow::open_item(const QListWidgetItem* item) {
  const QString link = item == nullptr ? QString() : item->data(kLinkRole).toString();
  if (!link.isEmpty()) open(link);
}

void HelpWindow::open(const QString& link) {
  const QUrl url(link);
  const HelpPage* page = pages_.find(url.path());
  if (page == nullptr) return;
  if (page->file != page_) show_page(*page);
  if (!url.hasFragment() || !scroll_to(url.fragment())) text_->verticalScrollBar()->setValue(0);
  const QString visited = url.toString();
  if (at_ < 0 || visited_[at_] != visited) {
    visited_.resize(at_ + 1);
    visited_ << visited;
    ++at_;
  }
}

void HelpWindow::follow(const QUrl& link) {
  const QUrl url = resolve_link(page_, link);
  if (!url.isRelative()) {
    // Nothing but what a browser or a mail program is for.
    const QStringList known = {QStringLiteral("http"), QStringLiteral("https"),
                               QStringLiteral("mailto")};
    if (known.contains(url.scheme())) browser_(url);
    return;
  }
  if (pages_.find(url.path()) != nullptr) open(url.toString());
}

void HelpWindow::show_page(const HelpPage& page) {
  page_ = page.file;
  static_cast<PageText*>(text_)->set_page(page);
  setWindowTitle(tr("%1 - Mansard help").arg(page.title));
  mark_found();
  if (!search_->text().isEmpty()) return;
  const QSignalBlocker quiet(list_);
  for (int i = 0; i < list_->count(); ++i) {
    if (list_->item(i)->data(kLinkRole) == page.file) list_->setCurrentRow(i);
  }
}

bool HelpWindow::scroll_to(const QString& anchor) {
  const HelpPage* page = pages_.find(page_);
  std::size_t number = 0;
  while (number < page->headings.size() && page->headings[number].anchor != anchor) ++number;
  if (number == page->headings.size()) return false;
  // The document has the page's headings, in the same order.
  for (QTextBlock block = text_->document()->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().headingLevel() == 0 || number-- > 0) continue;
    QTextCursor cursor(block);
    text_->setTextCursor(cursor);
    const QScrollBar* bar = text_->verticalScrollBar();
    const int top = bar->value() + text_->cursorRect(cursor).top();
    text_->verticalScrollBar()->setValue(top - 8);
    return true;
  }
  return false;
}

void HelpWindow::mark_found() {
  QList<QTextEdit::ExtraSelection> found;
  QTextCharFormat format;
  format.setBackground(palette().color(QPalette::Highlight));
  format.setForeground(palette().color(QPalette::HighlightedText));
  for (const QString& word : search_->text().simplified().split(u' ', Qt::SkipEmptyParts)) {
    if (word.size() < 2) continue;  // all over the page
    for (QTextCursor at = text_->document()->find(word); !at.isNull();
         at = text_->document()->find(word, at)) {
      found.push_back({at, format});
    }
  }
  text_->setExtraSelections(found);
}

void HelpWindow::go(int step) {
  if (at_ + step < 0 || at_ + step >= visited_.size()) return;
  at_ += step;
  open(visited_[at_]);
}

void HelpWindow::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Find)) {
    search_->setFocus();
    search_->selectAll();
  } else if (event->matches(QKeySequence::Back)) {
    go(-1);
  } else if (event->matches(QKeySequence::Forward)) {
    go(1);
  } else if (event->key() == Qt::Key_Escape) {
    if (search_->text().isEmpty()) return close(), void();
    search_->clear();
  } else {
    QWidget::keyPressEvent(event);
  }
}

void HelpWindow::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  // Colours of links and tables are in the document itself.
  const HelpPage* page = event->type() == QEvent::PaletteChange ? pages_.find(page_) : nullptr;
  if (page != nullptr) show_page(*page);
}

}  // namespace mansard::gui
