// SPDX-License-Identifier: Apache-2.0
#include "gui/views/help_window.h"

#include <QDesktopServices>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QVBoxLayout>

namespace mansard::gui {
namespace {

constexpr int kLinkRole = Qt::UserRole;
constexpr int kDocumentMargin_px = 18;

// Qt draws Markdown tables with heavy frames and no cell padding.
void give_tables_room(const QTextDocument& document, const QColor& line) {
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

// Qt's Markdown import creates no anchors. The document has the page's headings in the same order.
void name_headings(const QTextDocument& document, const std::vector<HelpHeading>& headings) {
  auto heading = headings.begin();
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().headingLevel() == 0 || heading == headings.end()) continue;
    QTextCharFormat format = block.charFormat();
    format.setAnchor(true);
    format.setAnchorNames({heading++->anchor});
    QTextCursor(block).setBlockCharFormat(format);
  }
}

// A QTextBrowser that loads HelpPages instead of files.
class PageText : public QTextBrowser {
 public:
  PageText(const HelpPages& pages, QWidget* parent) : QTextBrowser(parent), pages_(pages) {
    setOpenLinks(false);
    document()->setDocumentMargin(kDocumentMargin_px);
  }

  // Call after the source has changed to `anchor` of `page`.
  void finish(const HelpPage& page, const QString& anchor) {
    if (!raw_) return;
    raw_ = false;
    QColor line = palette().color(QPalette::Text);
    line.setAlphaF(0.3F);  // QPalette::Mid is invisible on a dark background
    // As one edit block: each layout takes long.
    QTextCursor whole(document());
    whole.beginEditBlock();
    give_tables_room(*document(), line);
    name_headings(*document(), page.headings);
    whole.endEditBlock();
    scrollToAnchor(anchor);
  }

 protected:
  QVariant loadResource(int type, const QUrl& name) override {
    if (type != QTextDocument::MarkdownResource) return QTextBrowser::loadResource(type, name);
    raw_ = true;
    const HelpPage* page = pages_.find(help_file(name));
    return page == nullptr ? QVariant() : page->markdown;
  }

 private:
  const HelpPages& pages_;
  bool raw_ = false;
};

}  // namespace

HelpWindow::HelpWindow(QWidget* parent)
    : QWidget(parent, Qt::Window),
      browser_([](const QUrl& url) { QDesktopServices::openUrl(url); }),
      search_(new QLineEdit(this)),
      list_(new QListWidget(this)),
      text_(new PageText(pages_, this)) {
  setWindowTitle(tr("Mansard help"));
  resize(1000, 720);
  search_->setPlaceholderText(tr("Search all pages"));
  search_->setClearButtonEnabled(true);
  search_->setAccessibleName(tr("Search all pages"));
  list_->setAccessibleName(tr("Pages"));
  list_->setWordWrap(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setSpacing(1);
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

  connect(search_, &QLineEdit::textChanged, this, [this] {
    fill_list();
    mark_found();
  });
  connect(search_, &QLineEdit::returnPressed, this, [this] {
    if (list_->count() > 0) list_->setCurrentRow((list_->currentRow() + 1) % list_->count());
  });
  connect(list_, &QListWidget::currentItemChanged, this,
          [this](QListWidgetItem* item) { open_item(item); });
  connect(list_, &QListWidget::itemClicked, this, &HelpWindow::open_item);
  connect(text_, &QTextBrowser::anchorClicked, this, &HelpWindow::follow);
  connect(text_, &QTextBrowser::sourceChanged, this, &HelpWindow::show_page);
  fill_list();
  open(QStringLiteral("gui.md"));
}

// Lists all pages, or the lines that match the search.
void HelpWindow::fill_list() {
  const QSignalBlocker quiet(list_);
  list_->clear();
  const auto add = [this](const QString& text, const QString& file, const QString& anchor) {
    auto* item = new QListWidgetItem(text, list_);
    item->setData(kLinkRole, anchor.isEmpty() ? file : file + u'#' + anchor);
    item->setToolTip(file);
    return item;
  };
  if (search_->text().trimmed().isEmpty()) {
    for (const HelpPage& page : pages_.all()) {
      QListWidgetItem* item = add(page.title, page.file, {});
      if (page.file == this->page()) list_->setCurrentItem(item);
    }
    return;
  }
  for (const HelpHit& hit : pages_.search(search_->text())) {
    const HelpPage& page = pages_.all()[hit.page];
    add(page.title + u'\n' + hit.line, page.file, hit.anchor);
  }
  if (list_->count() == 0) {
    new QListWidgetItem(tr("No line contains all of these words."), list_);
  }
}

void HelpWindow::open_item(const QListWidgetItem* item) {
  const QString link = item == nullptr ? QString() : item->data(kLinkRole).toString();
  if (!link.isEmpty()) open(link);
}

QString HelpWindow::page() const { return help_file(text_->source()); }

void HelpWindow::open(const QString& page) { follow(help_url(page)); }

void HelpWindow::follow(const QUrl& link) {
  const QUrl url = text_->source().resolved(link);
  if (pages_.find(help_file(url)) != nullptr) return text_->setSource(url);
  // Open only links for a web browser or mail program.
  const QStringList known = {QStringLiteral("http"), QStringLiteral("https"),
                             QStringLiteral("mailto")};
  if (known.contains(url.scheme())) browser_(url);
}

// Called by a signal during which source() is not `url` yet.
void HelpWindow::show_page(const QUrl& url) {
  const HelpPage* page = pages_.find(help_file(url));
  if (page == nullptr) return;
  static_cast<PageText*>(text_)->finish(*page, url.fragment());
  setWindowTitle(tr("%1 - Mansard help").arg(page->title));
  mark_found();
  if (!search_->text().isEmpty()) return;
  const QSignalBlocker quiet(list_);
  for (int i = 0; i < list_->count(); ++i) {
    if (list_->item(i)->data(kLinkRole) == page->file) list_->setCurrentRow(i);
  }
}

void HelpWindow::mark_found() {
  QList<QTextEdit::ExtraSelection> found;
  QTextCharFormat format;
  format.setBackground(palette().color(QPalette::Highlight));
  format.setForeground(palette().color(QPalette::HighlightedText));
  for (const QString& word : search_->text().simplified().split(u' ', Qt::SkipEmptyParts)) {
    if (word.size() < 2) continue;  // single letters would match everywhere
    for (QTextCursor at = text_->document()->find(word); !at.isNull();
         at = text_->document()->find(word, at)) {
      found.push_back({at, format});
    }
  }
  text_->setExtraSelections(found);
}

void HelpWindow::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Find)) {
    search_->setFocus();
    search_->selectAll();
  } else if (event->matches(QKeySequence::Back)) {
    text_->backward();
  } else if (event->matches(QKeySequence::Forward)) {
    text_->forward();
  } else if (event->key() == Qt::Key_Escape) {
    if (search_->text().isEmpty()) return close(), void();
    search_->clear();
  } else {
    QWidget::keyPressEvent(event);
  }
}

void HelpWindow::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  // Colors of links and tables are stored in the document.
  if (event->type() == QEvent::PaletteChange && !page().isEmpty()) text_->reload();
}

}  // namespace mansard::gui
