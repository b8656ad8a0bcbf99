// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recent_files.h"

#include <QDir>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace mansard::gui {
namespace {

class RecentFilesTest : public ::testing::Test {
 protected:
  QString path(const QString& name) const { return folder.filePath(name); }
  QString touch(const QString& name) const {
    QFile file(path(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    return file.fileName();
  }

  QTemporaryDir folder;
  QSettings settings{path(QStringLiteral("settings.ini")), QSettings::IniFormat};
  RecentFiles recent{&settings};
};

TEST_F(RecentFilesTest, ListsUniqueFilesNewestFirst) {
  const QString a = touch(QStringLiteral("a"));
  const QString b = touch(QStringLiteral("b"));
  recent.add(a);
  recent.add(b);
  EXPECT_EQ(recent.all(), (QStringList{b, a}));
  recent.add(folder.filePath(QStringLiteral("./x/../a")));
  EXPECT_EQ(recent.all(), (QStringList{a, b}));
  recent.add(QDir::current().relativeFilePath(b));
  EXPECT_EQ(recent.all(), (QStringList{b, a}));
  recent.remove(b);
  EXPECT_EQ(recent.all(), QStringList{a});
  recent.clear();
  EXPECT_TRUE(recent.all().isEmpty());
}

TEST_F(RecentFilesTest, ListsMissingFilesLast) {
  const QString gone = path(QStringLiteral("gone"));
  const QString a = touch(QStringLiteral("a"));
  const QString b = touch(QStringLiteral("b"));
  for (const QString& file : {a, b, gone}) recent.add(file);
  EXPECT_EQ(recent.all(), (QStringList{b, a, gone}));
  touch(QStringLiteral("gone"));  // for example on a disk that is mounted again
  EXPECT_EQ(recent.all(), (QStringList{gone, b, a}));
}

TEST_F(RecentFilesTest, KeepsTwelveFilesAcrossRestarts) {
  for (int i = 0; i < 30; ++i) recent.add(QStringLiteral("/run%1, \"odd\" =;%é\n").arg(i));
  settings.sync();
  QSettings again(settings.fileName(), QSettings::IniFormat);
  const QStringList files = RecentFiles(&again).all();
  ASSERT_EQ(files.size(), RecentFiles::kMax);
  EXPECT_EQ(files.front(), QStringLiteral("/run29, \"odd\" =;%é\n"));
  EXPECT_EQ(files.back(), QStringLiteral("/run18, \"odd\" =;%é\n"));
}

TEST_F(RecentFilesTest, IgnoresInvalidSettings) {
  const QString key = QStringLiteral("recent_files");
  settings.setValue(key, 7);
  EXPECT_TRUE(recent.all().isEmpty());
  settings.setValue(key, QVariantMap{{QStringLiteral("a"), 1}});
  EXPECT_TRUE(recent.all().isEmpty());
  settings.setValue(key, QVariantList{3, QStringLiteral("/a"), QVariant(), QByteArray("\xff")});
  EXPECT_EQ(recent.all(), QStringList{QStringLiteral("/a")});
  settings.setValue(key, QStringList{QStringLiteral("relative"), QString(), QString(9999, u'/'),
                                     QStringLiteral("/x/../y"), QStringLiteral("/y")});
  EXPECT_EQ(recent.all(), QStringList{QStringLiteral("/y")});
  settings.setValue(key, QString(QStringLiteral("/only")));  // how INI files store a list of one
  EXPECT_EQ(recent.all(), QStringList{QStringLiteral("/only")});
  recent.add(QString());
  recent.add(QStringLiteral("/new"));
  EXPECT_EQ(recent.all(), (QStringList{QStringLiteral("/new"), QStringLiteral("/only")}));
}

TEST_F(RecentFilesTest, IgnoresABrokenSettingsFile) {
  QFile broken(path(QStringLiteral("broken.ini")));
  ASSERT_TRUE(broken.open(QIODevice::WriteOnly));
  broken.write("[General\nrecent_files=@Variant(\\0\\0\\0\xff\n\0=,,,\"");
  broken.close();
  QSettings odd(broken.fileName(), QSettings::IniFormat);
  RecentFiles files(&odd);
  files.all();
  files.add(QStringLiteral("/a"));
  EXPECT_EQ(files.all().front(), QStringLiteral("/a"));
}

}  // namespace
}  // namespace mansard::gui
