// SPDX-License-Identifier: Apache-2.0
// The start page: recent files, missing ones, and the examples of the source tree.
#include "gui/views/welcome_page.h"

#include <QDir>
#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace mansard::gui {
namespace {

QString source_examples() { return QStringLiteral(MANSARD_SOURCE_FOLDER "/examples"); }

TEST(WelcomePage, ListsRecentFilesWithFolderAndDate) {
  QTemporaryDir folder;
  const QString there = folder.filePath(QStringLiteral("a<b.sqlite"));
  const QString gone = folder.filePath(QStringLiteral("gone.sqlite"));
  QFile file(there);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  WelcomePage page;
  page.set_recent({there, gone});
  EXPECT_TRUE(page.text().contains(QStringLiteral("<a href='0'>a&lt;b.sqlite</a>")));
  EXPECT_TRUE(page.text().contains(folder.path()));
  EXPECT_TRUE(page.text().contains(
      QLocale().toString(QFileInfo(there).lastModified(), QLocale::ShortFormat)));
  EXPECT_FALSE(page.text().contains(QStringLiteral("<a href='1'>"))) << "a missing file";
  EXPECT_TRUE(page.text().contains(QStringLiteral("missing")));
  QSignalSpy chosen(&page, &WelcomePage::chosen);
  Q_EMIT page.findChild<QLabel*>()->linkActivated(QStringLiteral("0"));
  ASSERT_EQ(chosen.size(), 1);
  EXPECT_EQ(chosen[0][0].toString(), there);
}

TEST(WelcomePage, OffersTheExamplesOfTheSourceTree) {
  // As from build/dev/bin, and from an installed tree.
  const QString build = QStringLiteral(MANSARD_SOURCE_FOLDER "/build/dev/bin");
  EXPECT_EQ(examples_folder(build), QDir::cleanPath(source_examples()));
  QTemporaryDir elsewhere;
  EXPECT_EQ(examples_folder(elsewhere.path()), QString());
  EXPECT_TRUE(examples_in({}).empty());
  ASSERT_TRUE(QDir(elsewhere.path()).mkpath(QStringLiteral("share/mansard/examples/h200")));
  QFile::copy(source_examples() + QStringLiteral("/h200/machine.json"),
              elsewhere.filePath(QStringLiteral("share/mansard/examples/h200/machine.json")));
  EXPECT_EQ(examples_folder(elsewhere.filePath(QStringLiteral("bin"))),
            elsewhere.filePath(QStringLiteral("share/mansard/examples")));
  EXPECT_TRUE(examples_in(elsewhere.filePath(QStringLiteral("share/mansard/examples"))).empty());

  const std::vector<Example> examples = examples_in(source_examples());
  ASSERT_EQ(examples.size(), 5u);
  WelcomePage page;
  page.set_examples(examples);
  std::vector<Example> chosen;
  QObject::connect(&page, &WelcomePage::example_chosen,
                   [&](const Example& example) { chosen.push_back(example); });
  for (std::size_t i = 0; i < examples.size(); ++i) {
    EXPECT_TRUE(QFile::exists(examples[i].file)) << qPrintable(examples[i].file);
    EXPECT_TRUE(page.text().contains(examples[i].title));
    Q_EMIT page.findChild<QLabel*>()->linkActivated(QStringLiteral("example:%1").arg(i));
  }
  Q_EMIT page.findChild<QLabel*>()->linkActivated(QStringLiteral("example:99"));
  ASSERT_EQ(chosen.size(), examples.size());
  EXPECT_EQ(chosen[1].file, examples[1].file);
  EXPECT_FALSE(chosen[1].baseline.isEmpty()) << "a comparison";
}

}  // namespace
}  // namespace mansard::gui
