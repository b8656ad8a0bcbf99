// SPDX-License-Identifier: Apache-2.0
// The embedded documentation: complete, with valid links.
#include "gui/views/help_window.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace mansard::gui {
namespace {

TEST(HelpPages, ContainAllOfTheDocumentation) {
  const HelpPages pages;
  std::set<QString> expected;
  const QString root = QStringLiteral(MANSARD_SOURCE_FOLDER "/docs");
  for (QDirIterator it(root, {QStringLiteral("*.md")}, QDir::Files, QDirIterator::Subdirectories);
       it.hasNext();) {
    expected.insert(QDir(root).relativeFilePath(it.next()));
  }
  std::set<QString> found;
  for (const HelpPage& page : pages.all()) {
    found.insert(page.file);
    EXPECT_FALSE(page.title.isEmpty()) << page.file.toStdString();
    EXPECT_FALSE(page.markdown.contains(QStringLiteral("SPDX"))) << page.file.toStdString();
    EXPECT_FALSE(page.headings.empty()) << page.file.toStdString();
  }
  EXPECT_EQ(found, expected);
  ASSERT_NE(pages.find(QStringLiteral("gui.md")), nullptr);
  EXPECT_EQ(pages.find(QStringLiteral("../README.md")), nullptr);
}

// Every link of a page as parsed by Qt's Markdown import.
std::vector<QUrl> links_of(const HelpPage& page) {
  QTextDocument document;
  document.setMarkdown(page.markdown);
  std::vector<QUrl> links;
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    for (auto it = block.begin(); !it.atEnd(); ++it) {
      const QTextCharFormat format = it.fragment().charFormat();
      if (format.isAnchor()) links.emplace_back(format.anchorHref());
    }
  }
  return links;
}

TEST(HelpPages, HaveValidLinks) {
  const HelpPages pages;
  int internal = 0;
  for (const HelpPage& page : pages.all()) {
    for (const QUrl& link : links_of(page)) {
      const QUrl url = help_url(page.file).resolved(link);
      if (!help_file(url).endsWith(QStringLiteral(".md"))) {
        continue;  // a web link, or a file outside the documentation
      }
      ++internal;
      const HelpPage* target = pages.find(help_file(url));
      ASSERT_NE(target, nullptr) << page.file.toStdString() << ": "
                                 << link.toString().toStdString();
      if (!url.hasFragment()) continue;
      const auto has = std::ranges::count(target->headings, url.fragment(), &HelpHeading::anchor);
      EXPECT_EQ(has, 1) << page.file.toStdString() << ": " << link.toString().toStdString();
    }
  }
  EXPECT_GT(internal, 10);
}

TEST(HelpPages, HavePicturesOrTheirDescriptions) {
  const HelpPages pages;
  static const QRegularExpression picture(QStringLiteral(R"(!\[[^\]]*\]\(([^)\s]+)\))"));
  for (const HelpPage& page : pages.all()) {
    for (auto it = picture.globalMatch(page.markdown); it.hasNext();) {
      const QString file = u':' + help_url(page.file).resolved(QUrl(it.next().captured(1))).path();
      EXPECT_LE(QFile(file).size(), 200'000) << file.toStdString();
      EXPECT_FALSE(QImage(file).isNull()) << file.toStdString();
    }
  }
  const HelpPage made =
      help_page(QStringLiteral("a.md"), QStringLiteral("# A\n![A run](gallery/none.webp) end\n"));
  EXPECT_EQ(made.markdown, QStringLiteral("# A\n*A run* end\n"));
}

TEST(HelpPages, IgnoreHeadingsInCode) {
  const HelpPage page =
      help_page(QStringLiteral("a.md"),
                QStringLiteral("<!-- SPDX\n two lines -->\n# The *Title*\n```\n# no heading\n```\n"
                               "## What `--x` is, or isn't\n#nor this\n## Same\n### Same\n"));
  ASSERT_EQ(page.headings.size(), 4u);
  EXPECT_EQ(page.title, QStringLiteral("The Title"));
  EXPECT_EQ(page.headings[1].anchor, QStringLiteral("what---x-is-or-isnt"));
  EXPECT_EQ(page.headings[2].anchor, QStringLiteral("same"));
  EXPECT_EQ(page.headings[3].anchor, QStringLiteral("same-1"));
  EXPECT_EQ(page.headings[3].level, 3);
  EXPECT_TRUE(page.markdown.startsWith(u'#'));
}

TEST(HelpPages, RemoveMarkupFromLines) {
  EXPECT_EQ(plain_line(QStringLiteral("- **Stop** the `run`, see [the *docs*](a.md#b)")),
            QStringLiteral("Stop the run, see the docs"));
  EXPECT_EQ(plain_line(QStringLiteral("## A _b_ c_d")), QStringLiteral("A b c_d"));
  EXPECT_EQ(plain_line(QStringLiteral("| Wheel | zoom |")), QStringLiteral("Wheel  zoom"));
  EXPECT_EQ(plain_line(QStringLiteral("2 * 3 * 4")), QStringLiteral("2 * 3 * 4"));
}

TEST(HelpPages, ResolveLinksRelativeToThePage) {
  const QUrl deep = help_url(QStringLiteral("validation/h200.md"));
  EXPECT_EQ(help_file(deep.resolved(QUrl("../kernels.md"))), QStringLiteral("kernels.md"));
  EXPECT_EQ(help_file(deep.resolved(QUrl("#cost"))), QStringLiteral("validation/h200.md"));
  EXPECT_EQ(help_file(deep.resolved(QUrl("b.md#x"))), QStringLiteral("validation/b.md"));
  EXPECT_EQ(help_file(deep.resolved(QUrl("../../README.md"))), QString());
  EXPECT_EQ(help_file(deep.resolved(QUrl("https://a.org/docs/b.md"))), QString());
}

TEST(HelpPages, SearchAllWordsInAllPages) {
  const HelpPages pages(
      {help_page(QStringLiteral("a.md"),
                 QStringLiteral("# One\nthe roofline of a run\n## Zoom\nwheel\n")),
       help_page(QStringLiteral("b.md"), QStringLiteral("# Two\nrun a *Roofline*\n\n## Run\n"))});
  const auto hits = pages.search(QStringLiteral(" RUN roofline"));
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_EQ(hits[0].page, 0u);
  EXPECT_EQ(hits[0].anchor, QStringLiteral("one"));
  EXPECT_EQ(pages.search(QStringLiteral("run")).front().anchor, QStringLiteral("run"))
      << "headings first";
  EXPECT_EQ(pages.search(QStringLiteral("wheel")).front().anchor, QStringLiteral("zoom"));
  EXPECT_TRUE(pages.search(QStringLiteral("run wheel")).empty());
  EXPECT_TRUE(pages.search(QStringLiteral("  ")).empty());
  EXPECT_EQ(pages.search(QStringLiteral("r"), 1).size(), 1u);
}

TEST(HelpPages, AreEntriesOfThePalette) {
  const HelpPages pages({help_page(QStringLiteral("a.md"), QStringLiteral("# One\n## Zoom\n"))});
  QStringList opened;
  const auto entries = entries_of(pages, [&](const QString& link) { opened << link; });
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[1].text, QStringLiteral("Zoom"));
  EXPECT_EQ(entries[1].detail, QStringLiteral("One"));
  for (const PaletteEntry& entry : entries) entry.run();
  EXPECT_EQ(opened, (QStringList{"a.md", "a.md#zoom"}));
}

class HelpWindowTest : public ::testing::Test {
 protected:
  HelpWindowTest() {
    window.resize(900, 600);
    window.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&window));
  }
  QTextBrowser* text() { return window.findChild<QTextBrowser*>(); }
  QListWidget* list() { return window.findChild<QListWidget*>(); }
  QLineEdit* search() { return window.findChild<QLineEdit*>(); }
  void click(const char* link) { Q_EMIT text()->anchorClicked(QUrl(QString::fromUtf8(link))); }
  // The first visible line.
  QString top() { return text()->cursorForPosition({40, 5}).block().text(); }

  HelpWindow window;
};

TEST_F(HelpWindowTest, EveryPageLoads) {
  EXPECT_EQ(window.page(), QStringLiteral("gui.md"));
  EXPECT_EQ(list()->count(), static_cast<int>(window.pages().all().size()));
  for (const HelpPage& page : window.pages().all()) {
    window.open(page.file);
    EXPECT_EQ(window.page(), page.file);
    EXPECT_TRUE(text()->toPlainText().contains(page.title)) << page.file.toStdString();
    ASSERT_NE(list()->currentItem(), nullptr);
    EXPECT_EQ(list()->currentItem()->text(), page.title);
    std::size_t headings = 0;
    for (QTextBlock b = text()->document()->begin(); b.isValid(); b = b.next()) {
      headings += b.blockFormat().headingLevel() > 0 ? 1 : 0;
    }
    EXPECT_EQ(headings, page.headings.size()) << page.file.toStdString();
  }
}

TEST_F(HelpWindowTest, FollowsLinksAndGoesBack) {
  window.open(QStringLiteral("validation/h200.md"));
  click("../explain.md");
  ASSERT_EQ(window.page(), QStringLiteral("explain.md"));
  click("report.md#the-timeline");
  EXPECT_EQ(window.page(), QStringLiteral("report.md"));
  EXPECT_EQ(top(), QStringLiteral("The timeline"));
  EXPECT_GT(text()->verticalScrollBar()->value(), 0);
  click("#json");
  EXPECT_EQ(top(), QStringLiteral("JSON"));
  QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(top(), QStringLiteral("The timeline"));
  QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(window.page(), QStringLiteral("explain.md"));
  QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier);
  EXPECT_EQ(window.page(), QStringLiteral("report.md"));
}

TEST_F(HelpWindowTest, OpensOnlyWebLinksInTheBrowser) {
  QList<QUrl> opened;
  window.set_browser([&](const QUrl& url) { opened << url; });
  click("https://arxiv.org/abs/2009.04598");
  click("file:///etc/passwd");
  click("javascript:alert(1)");
  click("../README.md");
  click("none.md");
  EXPECT_EQ(opened, QList<QUrl>{QUrl("https://arxiv.org/abs/2009.04598")});
  EXPECT_EQ(window.page(), QStringLiteral("gui.md"));
}

TEST_F(HelpWindowTest, FindsAndMarksTextInAllPages) {
  QTest::keyClicks(search(), QStringLiteral("kernel"));
  ASSERT_GT(list()->count(), 10);
  search()->setText(QStringLiteral("quotes and backslashes"));
  ASSERT_GT(list()->count(), 0);
  QTest::keyClick(search(), Qt::Key_Return);
  EXPECT_EQ(window.page(), QStringLiteral("gui.md"));
  EXPECT_GT(text()->verticalScrollBar()->value(), 0);
  EXPECT_FALSE(text()->extraSelections().isEmpty());
  window.open(QStringLiteral("explain.md"));
  EXPECT_FALSE(text()->extraSelections().isEmpty()) << "also on the next page";
  search()->setText(QStringLiteral("there is no such line zzz"));
  EXPECT_EQ(list()->count(), 1);
  QTest::keyClick(search(), Qt::Key_Return);
  QTest::keyClick(&window, Qt::Key_Escape);
  EXPECT_TRUE(search()->text().isEmpty());
  EXPECT_EQ(list()->count(), static_cast<int>(window.pages().all().size()));
  EXPECT_TRUE(text()->extraSelections().isEmpty());
  QTest::keyClick(&window, Qt::Key_Escape);
  EXPECT_FALSE(window.isVisible());
}

}  // namespace
}  // namespace mansard::gui
