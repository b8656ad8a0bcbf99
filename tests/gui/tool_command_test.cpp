// SPDX-License-Identifier: Apache-2.0
// Command lines from the dialogs' settings, and texts for exit codes.
#include "gui/models/tool_command.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "gui/models/tool_outcome.h"

namespace mansard::gui {
namespace {

class ToolCommandTest : public ::testing::Test {
 protected:
  QString path(const char* name) const { return folder.filePath(QString::fromUtf8(name)); }
  QString touch(const char* name) const {
    QFile file(path(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    return file.fileName();
  }

  QTemporaryDir folder;
};

TEST_F(ToolCommandTest, BuildsTheCharacterizeCommand) {
  CharacterizeSettings s;
  s.output = path("m.json");
  EXPECT_EQ(command_of(s).arguments, (QStringList{"characterize", "-o", path("m.json")}));
  s.replace = s.resume = true;
  s.device = CharacterizeSettings::Device::cpu;
  s.effort = CharacterizeSettings::Effort::quick;
  s.only = QStringLiteral(" cpu_read, cpu_triad  cpu_fma_fp64,");
  EXPECT_EQ(command_of(s).arguments,
            (QStringList{"characterize", "-o", path("m.json"), "-f", "--resume", "--device=cpu",
                         "--quick", "--only=cpu_read,cpu_triad,cpu_fma_fp64"}));
}

TEST_F(ToolCommandTest, BuildsTheProfileCommand) {
  ProfileSettings s;
  s.folder = folder.path();
  s.output = QStringLiteral("run.sqlite");
  s.command = QStringLiteral("python3 'my train.py' --lr 1e-3");
  s.step_range = QStringLiteral("iter");  // no effect without steps
  EXPECT_EQ(command_of(s).arguments, (QStringList{"profile", "-o", path("run.sqlite"), "--",
                                                  "python3", "my train.py", "--lr", "1e-3"}));
  s.delay_s = 0.5;
  s.duration_s = 90;
  s.steps = QStringLiteral(" 10:15 ");
  s.capture_range = QStringLiteral("nvtx:-x");
  s.counters = QStringLiteral("roofline");
  s.gpu_metrics_period_us = 1000;
  s.graphs_as_a_whole = true;
  s.further = QStringLiteral("--memory-limit 1G");
  EXPECT_EQ(
      command_of(s).arguments.mid(3, 10),
      (QStringList{"--delay=0.5", "--duration=90", "--steps=10:15", "--step-range=iter",
                   "--capture-range=nvtx:-x", "--counters=roofline", "--gpu-metrics-period=1000",
                   "--cuda-graph-trace=graph", "--memory-limit", "1G"}));
  EXPECT_EQ(shell_line(command_of(s)).section(QStringLiteral(" && "), 0, 0),
            QStringLiteral("cd ") + folder.path());
  s.folder = QDir::currentPath();
  EXPECT_TRUE(shell_line(command_of(s)).startsWith(QStringLiteral("mansard profile -o")));
  EXPECT_TRUE(
      shell_line(command_of(s)).endsWith(QStringLiteral("-- python3 'my train.py' --lr 1e-3")));
}

TEST_F(ToolCommandTest, PathsAreAbsolute) {
  EXPECT_EQ(absolute_path(QStringLiteral("~/a.json")),
            QDir::homePath() + QStringLiteral("/a.json"));
  EXPECT_EQ(absolute_path(QStringLiteral("../x"), QStringLiteral("/data/runs")),
            QStringLiteral("/data/x"));
  EXPECT_EQ(absolute_path(QStringLiteral("/y"), QStringLiteral("/data")), QStringLiteral("/y"));
  EXPECT_EQ(absolute_path(QStringLiteral("z")), QDir::current().filePath(QStringLiteral("z")));
  EXPECT_TRUE(absolute_path({}).isEmpty());
}

TEST_F(ToolCommandTest, OverwritesOnlyWhenRequested) {
  CharacterizeSettings c;
  EXPECT_FALSE(problem_of(c).isEmpty());
  c.output = path("m.json");
  EXPECT_EQ(problem_of(c), QString());
  touch("m.json");
  EXPECT_TRUE(problem_of(c).contains(QStringLiteral("exists"))) << problem_of(c).toStdString();
  c.replace = true;
  EXPECT_EQ(problem_of(c), QString());
  c.output = path("none/m.json");
  EXPECT_TRUE(problem_of(c).contains(QStringLiteral("none")));
  c.output = folder.path();
  EXPECT_TRUE(problem_of(c).contains(QStringLiteral("is a folder")));

  ProfileSettings p;
  p.command = QStringLiteral("true");
  p.output = touch("run.sqlite");
  EXPECT_TRUE(problem_of(p).contains(QStringLiteral("run.sqlite already exists")));
  p.replace = true;
  EXPECT_EQ(problem_of(p), QString());
}

TEST_F(ToolCommandTest, KeepsAnInterruptedMeasurement) {
  CharacterizeSettings c;
  c.output = path("m.json");
  c.resume = true;
  EXPECT_FALSE(problem_of(c).isEmpty());
  EXPECT_TRUE(interrupted_measurement(c.output).isEmpty());
  touch("m.json.partial");
  EXPECT_EQ(interrupted_measurement(c.output), path("m.json.partial"));
  EXPECT_EQ(problem_of(c), QString());
  c.resume = false;
  EXPECT_TRUE(problem_of(c).contains(QStringLiteral("interrupted")));
  c.replace = true;
  EXPECT_EQ(problem_of(c), QString());
}

TEST_F(ToolCommandTest, RequiresAProgram) {
  ProfileSettings p;
  p.output = path("run.sqlite");
  for (const char* bad : {"", "  ", "''", "'python", "\"a"}) {
    p.command = QString::fromUtf8(bad);
    EXPECT_FALSE(problem_of(p).isEmpty()) << bad;
  }
  p.command = QStringLiteral("true");
  EXPECT_EQ(problem_of(p), QString());
  for (const char* bad : {"10", "a:b", "1:2:3", "-1:2"}) {
    p.steps = QString::fromUtf8(bad);
    EXPECT_FALSE(problem_of(p).isEmpty()) << bad;
  }
  p.steps = QStringLiteral("3:");
  EXPECT_EQ(problem_of(p), QString());
  p.further = QStringLiteral("--paused -- rm");
  EXPECT_FALSE(problem_of(p).isEmpty());
  p.further.clear();
  p.folder = path("none");
  EXPECT_TRUE(problem_of(p).contains(QStringLiteral("none")));
}

TEST(ToolOutcome, DescribesExitCodes) {
  using Tool = ToolCommand::Tool;
  struct Case {
    ToolEnd end;
    bool success;
    const char* says;
  };
  const QString run = QStringLiteral("/d/run.sqlite");
  const QString model = QStringLiteral("/d/m.json");
  const QString partial = QStringLiteral("/d/m.json.partial");
  const Case cases[] = {
      {{Tool::characterize, 0, false, false, model, {}, {}}, true, "written to m.json."},
      {{Tool::characterize, 130, false, true, {}, partial, {}}, true, "kept in m.json.partial"},
      {{Tool::characterize, 1, false, false, {}, {}, "no GPU."},
       false,
       "Measurement failed: no GPU."},
      {{Tool::characterize, 137, true, false, {}, partial, {}}, false, "signal 9"},
      {{Tool::profile, 0, false, false, run, {}, {}}, true, "Profile written to run.sqlite."},
      {{Tool::profile, 3, false, false, run, {}, {}},
       false,
       "code 3. The profile up to then is in run.sqlite"},
      {{Tool::profile, 139, false, false, run, {}, {}},
       false,
       "program was terminated by signal 11"},
      {{Tool::profile, 137, true, false, run, {}, {}},
       false,
       "profiler was terminated by signal 9"},
      {{Tool::profile, 130, false, true, run, {}, {}}, true, "Stopped. The profile up to then"},
      {{Tool::profile, 130, false, true, {}, {}, {}}, true, "before anything was recorded"},
      {{Tool::profile, 0, false, false, {}, {}, "nothing was seen"}, false, "nothing was seen"},
      {{Tool::profile, 127, false, false, {}, {}, {}}, false, "code 127"},
  };
  for (const Case& c : cases) {
    const std::string words = describe(c.end).toStdString();
    EXPECT_EQ(is_success(c.end), c.success) << words;
    EXPECT_NE(words.find(c.says), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace mansard::gui
