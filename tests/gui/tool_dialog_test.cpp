// SPDX-License-Identifier: Apache-2.0
// The dialogs that measure the machine and profile programs.
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

#include <gtest/gtest.h>

#include "gui/models/row_facts.h"
#include "gui/models/tool_status.h"
#include "gui/views/characterize_dialog.h"
#include "gui/views/path_field.h"
#include "gui/views/profile_dialog.h"

namespace mansard::gui {
namespace {

using namespace std::chrono_literals;

constexpr int kPatience_ms = 30'000;

class ToolDialogTest : public ::testing::Test {
 protected:
  QString path(const char* name) const { return folder.filePath(QString::fromUtf8(name)); }

  QString write(const char* name, const QByteArray& content) const {
    QFile file(path(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(content);
    file.close();
    return file.fileName();
  }
  QString script(const QByteArray& body) const {
    const QString file = write("mansard", "#!/bin/sh\n" + body);
    QFile::setPermissions(file, QFile::ReadOwner | QFile::ExeOwner | QFile::WriteOwner);
    return file;
  }
  // Finds a button by its current text, which may change.
  static QPushButton* button(const QWidget& dialog, const char* text) {
    for (QPushButton* button : dialog.findChildren<QPushButton*>()) {
      if (button->text().remove(u'&') == QString::fromUtf8(text)) return button;
    }
    return nullptr;
  }
  static bool click(const QWidget& dialog, const char* text) {
    QPushButton* found = button(dialog, text);
    if (found == nullptr || !found->isEnabled() || !found->isVisible()) return false;
    QTest::mouseClick(found, Qt::LeftButton);
    return true;
  }
  static QString command_line(const QWidget& dialog) {
    for (const QLineEdit* line : dialog.findChildren<QLineEdit*>()) {
      if (line->isReadOnly()) return line->text();
    }
    return {};
  }
  static QString said(const QWidget& dialog) {
    QString all;
    for (const QLabel* label : dialog.findChildren<QLabel*>()) {
      if (label->isVisible()) all += label->text() + u'\n';
    }
    return all;
  }
  static QCheckBox* box(const QWidget& dialog, const char* text) {
    for (QCheckBox* found : dialog.findChildren<QCheckBox*>()) {
      if (found->text().remove(u'&').contains(QString::fromUtf8(text))) return found;
    }
    return nullptr;
  }
  static bool wait_for_end(const ToolDialog& dialog) {
    return QTest::qWaitFor([&] { return !dialog.is_running(); }, kPatience_ms);
  }

  QTemporaryDir folder;
};

TEST_F(ToolDialogTest, MeasuresAndOffersTheModel) {
  const QString go = path("go");
  CharacterizeDialog dialog(nullptr, script(QByteArray(R"sh(
echo '{"mansard_progress":1,"done":3,"total":8,"left_s":65,"device":"CPU","ceiling":"cpu_read"}' >&2
while [ ! -e GO ]; do sleep 0.01; done
echo 'a table'
touch "$4"
echo "{\"mansard_progress\":1,\"result\":\"$4\"}" >&2
)sh")
                                                .replace("GO", go.toUtf8())));
  dialog.show();
  dialog.set_output(path("m.json"));
  EXPECT_EQ(command_line(dialog), QStringLiteral("mansard characterize -o %1").arg(path("m.json")));
  dialog.findChildren<QComboBox*>().at(0)->setCurrentIndex(2);
  dialog.findChildren<QComboBox*>().at(1)->setCurrentIndex(0);
  EXPECT_TRUE(command_line(dialog).endsWith(QStringLiteral("--device=cpu --quick")));
  EXPECT_EQ(button(dialog, "Open result")->isVisible(), false);

  ASSERT_TRUE(click(dialog, "Start"));
  ASSERT_TRUE(dialog.is_running());
  EXPECT_FALSE(dialog.findChild<PathField*>()->isEnabled());
  const auto* bar = dialog.findChild<QProgressBar*>();
  EXPECT_TRUE(QTest::qWaitFor([&] { return bar->value() == 3; }, kPatience_ms));
  EXPECT_TRUE(bar->isVisible());
  EXPECT_EQ(bar->maximum(), 8);
  EXPECT_TRUE(said(dialog).contains(QStringLiteral("3 of 8, CPU: cpu_read, 1:05 left")))
      << said(dialog).toStdString();
  write("go", "");
  ASSERT_TRUE(wait_for_end(dialog));
  EXPECT_FALSE(bar->isVisible());
  EXPECT_TRUE(said(dialog).contains(QStringLiteral("Machine model written to m.json")));
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        return dialog.findChild<QPlainTextEdit*>()->toPlainText() == QStringLiteral("a table");
      },
      kPatience_ms));
  QSignalSpy opened(&dialog, &ToolDialog::finished_with);
  ASSERT_TRUE(click(dialog, "Open result"));
  EXPECT_EQ(opened.front().front().toString(), path("m.json"));
}

TEST_F(ToolDialogTest, AsksBeforeReplacingAFile) {
  CharacterizeDialog dialog(nullptr, script("exit 1\n"));
  dialog.show();
  QCheckBox* replace = box(dialog, "Replace");
  QCheckBox* resume = box(dialog, "Resume");
  dialog.set_output(path("m.json"));
  EXPECT_FALSE(replace->isVisible());
  EXPECT_TRUE(button(dialog, "Start")->isEnabled());

  dialog.set_output(write("there.json", "{}"));
  EXPECT_TRUE(replace->isVisible());
  EXPECT_FALSE(resume->isVisible());
  EXPECT_FALSE(button(dialog, "Start")->isEnabled());
  EXPECT_TRUE(said(dialog).contains(QStringLiteral("there.json already exists")));
  replace->setChecked(true);
  EXPECT_TRUE(button(dialog, "Start")->isEnabled());
  EXPECT_TRUE(command_line(dialog).contains(QStringLiteral(" -f")));

  write("half.json.partial", "");
  dialog.set_output(path("half.json"));
  EXPECT_TRUE(resume->isVisible());
  EXPECT_TRUE(resume->isChecked());
  EXPECT_TRUE(command_line(dialog).contains(QStringLiteral("--resume")));
  resume->setChecked(false);
  replace->setChecked(false);
  EXPECT_FALSE(button(dialog, "Start")->isEnabled());

  dialog.set_output(path("m.json"));
  EXPECT_FALSE(command_line(dialog).contains(QStringLiteral(" -f")));
  EXPECT_FALSE(command_line(dialog).contains(QStringLiteral("--resume")));
}

TEST_F(ToolDialogTest, ShowsTheProfileCommandLine) {
  ProfileDialog dialog(nullptr, script("exit 0\n"));
  dialog.show();
  EXPECT_FALSE(button(dialog, "Start")->isEnabled());
  EXPECT_TRUE(said(dialog).contains(QStringLiteral("Enter the program")));
  dialog.set_output(path("run.sqlite"));
  dialog.set_program(QStringLiteral("python3 'my train.py'"));
  EXPECT_EQ(
      command_line(dialog),
      QStringLiteral("mansard profile -o %1 -- python3 'my train.py'").arg(path("run.sqlite")));
  dialog.findChildren<QDoubleSpinBox*>().at(0)->setValue(2.5);
  dialog.findChildren<QDoubleSpinBox*>().at(1)->setValue(10);
  dialog.findChild<QComboBox*>()->setCurrentIndex(2);
  EXPECT_TRUE(command_line(dialog).contains(
      QStringLiteral(" --delay=2.5 --duration=10 --counters=roofline -- ")))
      << command_line(dialog).toStdString();
  dialog.set_program(QStringLiteral("python3 a.py | tee log"));
  EXPECT_TRUE(said(dialog).contains(QStringLiteral("No shell is used: |")));
  EXPECT_TRUE(button(dialog, "Start")->isEnabled());
  dialog.set_program(QStringLiteral("python3 'a.py"));
  EXPECT_FALSE(button(dialog, "Start")->isEnabled());
  EXPECT_TRUE(click(dialog, "Copy"));
}

TEST_F(ToolDialogTest, AnnouncesAGrowingProfile) {
  const QString file = path("run.sqlite");
  ProfileDialog dialog(nullptr, script(R"sh(
touch "$4"
echo "{\"mansard_progress\":1,\"files\":[\"$4\"],\"events\":1234567,\"file_bytes\":2097152}" >&2
while :; do sleep 0.01; done
)sh"));
  QSignalSpy started(&dialog, &ToolDialog::recording_started);
  dialog.show();
  dialog.set_program(QStringLiteral("./train"));
  dialog.set_output(file);
  ASSERT_TRUE(click(dialog, "Start"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return started.size() == 1; }, kPatience_ms));
  EXPECT_EQ(started.front().front().toString(), file);
  EXPECT_TRUE(
      said(dialog).contains(count_text(1234567, "event", "events") + QStringLiteral(", 2 MiB")))
      << said(dialog).toStdString();
  ASSERT_TRUE(click(dialog, "Stop"));
  ASSERT_TRUE(wait_for_end(dialog));
  EXPECT_TRUE(button(dialog, "Open result")->isVisible());
  // The file exists now: the next profile must not overwrite it without confirmation.
  EXPECT_TRUE(box(dialog, "Replace")->isVisible());
  EXPECT_FALSE(button(dialog, "Start")->isEnabled());
}

class ClosingTest : public ToolDialogTest {
 protected:
  ClosingTest() {
    dialog.set_output(path("m.json"));
    dialog.show();
  }
  void start() {
    ASSERT_TRUE(click(dialog, "Start"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return dialog.run().log().end() > 0; }, kPatience_ms));
  }
  QMessageBox* question() { return dialog.findChild<QMessageBox*>(); }

  CharacterizeDialog dialog{nullptr, script("echo $$\nwhile :; do sleep 0.01; done\n")};
};

TEST_F(ClosingTest, ClosesWithoutAQuestionIfNothingRuns) {
  QTest::keyClick(&dialog, Qt::Key_Escape);
  EXPECT_FALSE(dialog.isVisible());
  bool then = false;
  dialog.ask_to_stop([&] { then = true; });
  EXPECT_TRUE(then);
}

TEST_F(ClosingTest, AsksWhetherToStopARun) {
  start();
  dialog.close();
  ASSERT_NE(question(), nullptr);
  EXPECT_TRUE(dialog.isVisible());
  ASSERT_TRUE(click(*question(), "Cancel"));
  EXPECT_TRUE(dialog.isVisible());
  EXPECT_EQ(dialog.run().state(), ToolRun::State::running);

  dialog.close();
  ASSERT_TRUE(click(*question(), "Continue in background"));
  EXPECT_FALSE(dialog.isVisible());
  EXPECT_TRUE(dialog.is_running());

  dialog.show();
  dialog.close();
  ASSERT_TRUE(click(*question(), "Stop"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return !dialog.isVisible(); }, kPatience_ms));
  EXPECT_FALSE(dialog.is_running());
}

TEST_F(ClosingTest, QuittingWaitsForTheEnd) {
  start();
  bool quit = false;
  dialog.ask_to_stop([&] { quit = true; });
  ASSERT_TRUE(click(*question(), "Keep running"));
  EXPECT_TRUE(dialog.is_running());
  dialog.ask_to_stop([&] { quit = true; });
  ASSERT_TRUE(click(*question(), "Stop"));
  EXPECT_FALSE(quit);
  EXPECT_TRUE(QTest::qWaitFor([&] { return quit; }, kPatience_ms));
  EXPECT_FALSE(dialog.is_running());
}

TEST_F(ClosingTest, QuestionClosesWhenTheRunEnds) {
  start();
  dialog.close();
  ASSERT_NE(question(), nullptr);
  // Terminated from outside.
  ::kill(static_cast<pid_t>(dialog.run().log().lines().front().toLongLong()), SIGKILL);
  ASSERT_TRUE(wait_for_end(dialog));
  EXPECT_TRUE(QTest::qWaitFor([&] { return question() == nullptr; }, kPatience_ms));
}

// Shorter than the watchdog of all tests.
TEST_F(ToolDialogTest, LargeOutputShowsItsLastLines) {
  ProfileDialog dialog(nullptr, script(R"sh(
trap '' INT
(while :; do head -c 65536 /dev/urandom; yes "$(head -c 3000 /dev/zero | tr '\0' x)" | head -n 2000; done) &
while :; do head -c 65536 /dev/urandom; done >&2
)sh"));
  dialog.set_patience(200ms);
  dialog.set_program(QStringLiteral("./train"));
  dialog.set_output(path("run.sqlite"));
  dialog.show();
  ASSERT_TRUE(click(dialog, "Start"));
  const auto* log = dialog.findChild<QPlainTextEdit*>();
  const auto flooded = [log] {
    return log->toPlainText().contains(QStringLiteral("lines omitted]"));
  };
  EXPECT_TRUE(QTest::qWaitFor([&] { return log->blockCount() > 100 && flooded(); }, kPatience_ms));
  QTest::qWait(500);  // stays responsive meanwhile
  EXPECT_LE(log->blockCount(), static_cast<int>(ToolLog::kMaxLines));
  EXPECT_TRUE(flooded());
  ASSERT_TRUE(click(dialog, "Stop"));
  ASSERT_TRUE(wait_for_end(dialog));
}

TEST(ToolStatus, FormatsTimes) {
  EXPECT_EQ(clock_text(0), QStringLiteral("0:00"));
  EXPECT_EQ(clock_text(7.4), QStringLiteral("0:07"));
  EXPECT_EQ(clock_text(754), QStringLiteral("12:34"));
  EXPECT_EQ(clock_text(3723), QStringLiteral("1:02:03"));
  EXPECT_EQ(clock_text(-3), QStringLiteral("0:00"));
}

}  // namespace
}  // namespace mansard::gui
