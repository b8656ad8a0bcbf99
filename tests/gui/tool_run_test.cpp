// SPDX-License-Identifier: Apache-2.0
// Processes started by the window: scripts that do what a test needs, and the real `mansard`.
#include "gui/models/tool_run.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <ctime>

#include <gtest/gtest.h>

#include "gui/models/load_run.h"

namespace mansard::gui {
namespace {

using ToolState = ToolRun::State;
using namespace std::chrono_literals;

constexpr int kToolPatience_ms = 60'000;

double cpu_of_this_thread_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

// Measures the cost of one iteration of the event loop in thread CPU time, so that other programs
// on a busy machine do not count; blocking would show in wall-clock time.
class LoopWatch : public QObject {
 public:
  LoopWatch() {
    cpu_ms_ = cpu_of_this_thread_ms();
    wall_.start();
    startTimer(1, Qt::PreciseTimer);
  }
  double longest_cpu_ms = 0;
  qint64 longest_wall_ms = 0;
  int turns = 0;

 protected:
  void timerEvent(QTimerEvent*) override {
    const double now_ms = cpu_of_this_thread_ms();
    longest_cpu_ms = std::max(longest_cpu_ms, now_ms - cpu_ms_);
    longest_wall_ms = std::max(longest_wall_ms, wall_.restart());
    cpu_ms_ = now_ms;
    ++turns;
  }

 private:
  double cpu_ms_ = 0;
  QElapsedTimer wall_;
};

class ToolRunTest : public ::testing::Test {
 protected:
  QString path(const char* name) const { return folder.filePath(QString::fromUtf8(name)); }

  // A script instead of mansard.
  QString script(const QByteArray& body) const {
    const QString file = path("mansard");
    QFile out(file);
    EXPECT_TRUE(out.open(QIODevice::WriteOnly | QIODevice::Truncate));
    out.write("#!/bin/sh\n" + body);
    out.close();
    out.setPermissions(QFile::ReadOwner | QFile::ExeOwner | QFile::WriteOwner);
    return file;
  }

  ToolCommand characterize() const {
    return {ToolCommand::Tool::characterize,
            {QStringLiteral("characterize"), QStringLiteral("-o"), path("m.json")},
            {},
            path("m.json")};
  }
  ToolCommand profile() const {
    return {ToolCommand::Tool::profile,
            {QStringLiteral("profile"), QStringLiteral("-o"), path("run.sqlite")},
            {},
            path("run.sqlite")};
  }

  static bool wait_for_end(ToolRun& run) {
    return QTest::qWaitFor([&] { return !run.is_active(); }, kToolPatience_ms);
  }
  static bool wait_for_line(ToolRun& run, const QString& line) {
    return QTest::qWaitFor([&] { return std::ranges::count(run.log().lines(), line) > 0; },
                           kToolPatience_ms);
  }
  static QString text(const ToolRun& run) {
    QString all;
    for (const QString& line : run.log().lines()) all += line + u'\n';
    return all;
  }

  QTemporaryDir folder;
};

TEST_F(ToolRunTest, ReportsProgressAndTheResult) {
  ToolRun run(nullptr, script(R"sh(
echo "$@"
echo '{"mansard_progress":1,"done":0,"total":2,"left_s":null,"device":"CPU","ceiling":"a"}' >&2
echo '{"mansard_progress":1,"done":1,"total":2,"left_s":3,"device":"CPU","ceiling":"b"}' >&2
echo "mansard: wrote it" >&2
touch "$4"
echo "{\"mansard_progress\":1,\"result\":\"$4\"}" >&2
)sh"));
  std::vector<ToolState> states;
  QObject::connect(&run, &ToolRun::state_changed, [&] { states.push_back(run.state()); });
  std::vector<qint64> done;
  QObject::connect(&run, &ToolRun::progress_changed, [&] { done.push_back(run.progress().done); });
  EXPECT_EQ(run.state(), ToolState::idle);
  run.start(characterize());
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(states, (std::vector{ToolState::running, ToolState::finished}));
  EXPECT_EQ(done, (std::vector<qint64>{0, 0, 1, 1}));
  EXPECT_EQ(run.progress().total, 2);
  EXPECT_EQ(run.progress().what, QStringLiteral("CPU: b"));
  EXPECT_EQ(run.result(), path("m.json"));
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_GT(run.elapsed_s(), 0);
  EXPECT_TRUE(run.outcome().contains(QStringLiteral("m.json")));
  // Progress is for the bar, not for the log.
  EXPECT_EQ(text(run), QStringLiteral("characterize --progress=json -o %1\nmansard: wrote it\n")
                           .arg(path("m.json")));
}

TEST_F(ToolRunTest, UsesNoShell) {
  ToolRun run(nullptr, script("for a in \"$@\"; do echo \"<$a>\"; done\n"));
  ToolCommand command = profile();
  command.arguments << QStringLiteral("--") << QStringLiteral("$(touch pwned); a  b") << QString()
                    << QStringLiteral("*");
  command.folder = folder.path();
  run.start(command);
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_TRUE(text(run).endsWith(QStringLiteral("<--\n<$(touch pwned); a  b>\n<>\n<*>\n")
                                     .replace(QStringLiteral("<--\n"), QStringLiteral("<-->\n"))))
      << text(run).toStdString();
  EXPECT_FALSE(QFile::exists(path("pwned")));
}

TEST_F(ToolRunTest, FailureContainsTheMessageOfMansard) {
  ToolRun run(nullptr, script("echo 'mansard: cannot write /x' >&2; exit 1\n"));
  run.start(characterize());
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(run.state(), ToolState::failed);
  EXPECT_EQ(run.exit_code(), 1);
  EXPECT_TRUE(run.outcome().contains(QStringLiteral("cannot write /x")));
  EXPECT_TRUE(run.result().isEmpty());
}

TEST_F(ToolRunTest, OldFileIsNotAResult) {
  QFile old(path("run.sqlite"));
  ASSERT_TRUE(old.open(QIODevice::WriteOnly));
  old.setFileTime(QDateTime::currentDateTime().addSecs(-60), QFileDevice::FileModificationTime);
  old.close();
  ToolRun run(nullptr, script("exit 0\n"));
  run.start(profile());
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(run.state(), ToolState::failed);
  EXPECT_TRUE(run.result().isEmpty());
}

TEST_F(ToolRunTest, ReportsAMissingProgram) {
  ToolRun run(nullptr, path("nowhere"));
  run.start(profile());
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(run.state(), ToolState::failed);
  EXPECT_EQ(run.exit_code(), -1);
  EXPECT_FALSE(run.outcome().isEmpty());
  // It is not the last message either.
  script("exit 3\n");
  ToolRun again(nullptr, path("mansard"));
  again.start(profile());
  ASSERT_TRUE(wait_for_end(again));
  EXPECT_EQ(again.exit_code(), 3);
}

TEST_F(ToolRunTest, ReportsAMissingFolder) {
  ToolRun run(nullptr, script("exit 0\n"));
  ToolCommand command = profile();
  command.folder = path("nowhere");
  run.start(command);
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(run.state(), ToolState::failed);
  EXPECT_FALSE(run.outcome().isEmpty());
}

TEST_F(ToolRunTest, CancelSendsSigint) {
  ToolRun run(nullptr, script(R"sh(
trap 'echo "mansard: put away" >&2; exit 130' INT
echo ready
while :; do sleep 0.01; done
)sh"));
  run.cancel();  // no effect when nothing runs
  EXPECT_EQ(run.state(), ToolState::idle);
  run.start(characterize());
  ASSERT_TRUE(wait_for_line(run, QStringLiteral("ready")));
  run.cancel();
  EXPECT_EQ(run.state(), ToolState::canceling);
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(run.state(), ToolState::finished);
  EXPECT_EQ(run.exit_code(), 130);
  EXPECT_TRUE(text(run).contains(QStringLiteral("put away")));
}

TEST_F(ToolRunTest, KillsAnUnresponsiveProcessWithItsChildren) {
  ToolRun run(nullptr, script(R"sh(
trap 'echo interrupted' INT
trap 'echo terminated' TERM
sleep 600 & echo $!
echo ready
while :; do sleep 0.01; done
)sh"));
  run.set_patience(300ms);
  run.start(profile());
  ASSERT_TRUE(wait_for_line(run, QStringLiteral("ready")));
  const auto child = static_cast<pid_t>(run.log().lines().front().toLongLong());
  ASSERT_GT(child, 0);
  run.cancel();
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_TRUE(text(run).contains(QStringLiteral("interrupted\n")));
  EXPECT_TRUE(text(run).contains(QStringLiteral("terminated\n")));
  EXPECT_EQ(run.exit_code(), 128 + SIGKILL);
  EXPECT_EQ(run.state(), ToolState::finished);
  // Gone, or a zombie that its reaper has not collected.
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        QFile stat(QStringLiteral("/proc/%1/stat").arg(child));
        return !stat.open(QIODevice::ReadOnly) || stat.readAll().contains(") Z ");
      },
      kToolPatience_ms));
}

TEST_F(ToolRunTest, SecondCancelDoesNotWait) {
  ToolRun run(nullptr, script("trap '' INT TERM\necho ready\nwhile :; do sleep 0.01; done\n"));
  run.set_patience(10min);
  run.start(profile());
  ASSERT_TRUE(wait_for_line(run, QStringLiteral("ready")));
  for (int i = 0; i < 3; ++i) run.cancel();
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(run.exit_code(), 128 + SIGKILL);
}

TEST_F(ToolRunTest, StopsItsProcessOnDestruction) {
  pid_t child = 0;
  {
    ToolRun run(nullptr, script("echo $$\nwhile :; do sleep 0.01; done\n"));
    run.start(characterize());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !run.log().lines().empty(); }, kToolPatience_ms));
    child = static_cast<pid_t>(run.log().lines().front().toLongLong());
    ASSERT_EQ(::kill(child, 0), 0);
  }
  EXPECT_NE(::kill(child, 0), 0);
}

TEST_F(ToolRunTest, ShowsArbitraryBytesAsText) {
  ToolRun run(nullptr, script(R"sh(
printf 'caf\303\251 \377\376\033[2J<b>bold</b>\000\001end\n'
printf '\377\377{"mansard_progress":1,"events":5}\n' >&2
printf 'last without an end'
)sh"));
  run.start(profile());
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_TRUE(text(run).contains(QStringLiteral("café \uFFFD\uFFFD<b>bold</b>end\n")));
  EXPECT_TRUE(text(run).contains(QStringLiteral("last without an end\n")));
  EXPECT_EQ(run.progress().events, 5);
}

TEST_F(ToolRunTest, LargeOutputKeepsTheEventLoopResponsive) {
  ToolRun run(nullptr, script(R"sh(
trap '' INT
echo ready
(while :; do head -c 65536 /dev/urandom; yes 'step 1 loss 2.3' | head -n 20000; done) &
while :; do head -c 65536 /dev/urandom; head -c 1000000 /dev/zero; done >&2
)sh"));
  run.set_patience(500ms);
  run.start(profile());
  LoopWatch watch;
  ASSERT_TRUE(wait_for_line(run, QStringLiteral("ready")));
  QTest::qWait(1500);
  EXPECT_LE(run.log().lines().size(), ToolLog::kMaxLines);
  EXPECT_GT(run.log().end(), 20'000u);
  run.cancel();
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_GT(watch.turns, 20);
  EXPECT_LT(watch.longest_cpu_ms, 50);
  EXPECT_LT(watch.longest_wall_ms, 400) << "something blocked";
}

// The real program, as built next to this test.
class RealMansard : public ToolRunTest {
 protected:
  void SetUp() override {
    if (find_mansard().isEmpty()) GTEST_SKIP() << "mansard is not built";
  }
  // Runs ranges on the CPU until stopped.
  QStringList endless() const {
    return {find_mansard(), "run",      "layer",   "--recipe", "nvfp4",    "--device", "cpu",
            "--shape",      "64x64x64", "--steps", "10000000", "--warmup", "0"};
  }
};

TEST_F(RealMansard, CharacterizesTheCpu) {
  ToolRun run;
  CharacterizeSettings settings;
  settings.output = path("m.json");
  settings.device = CharacterizeSettings::Device::cpu;
  settings.effort = CharacterizeSettings::Effort::quick;
  settings.only = QStringLiteral("cpu_fma_fp64,cpu_fma_fp32");
  ASSERT_EQ(problem_of(settings), QString());
  qint64 most_done = 0;
  QObject::connect(&run, &ToolRun::progress_changed,
                   [&] { most_done = std::max(most_done, run.progress().done); });
  run.start(command_of(settings));
  LoopWatch watch;
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(run.state(), ToolState::finished) << text(run).toStdString();
  EXPECT_GE(most_done, 2);
  EXPECT_EQ(most_done, run.progress().total);
  ASSERT_EQ(run.result(), path("m.json"));
  const analysis::RunAnalysis shown = load_run(run.result().toStdString(), {});
  ASSERT_TRUE(shown.machine);
  EXPECT_EQ(shown.machine->ceilings.size(), 2u);
  EXPECT_LT(watch.longest_cpu_ms, 50);
}

TEST_F(RealMansard, ResumesACanceledMeasurement) {
  CharacterizeSettings settings;
  settings.output = path("m.json");
  settings.device = CharacterizeSettings::Device::cpu;
  settings.only = QStringLiteral("cpu_fma_fp64,cpu_fma_fp32");
  settings.effort = CharacterizeSettings::Effort::full;
  ToolRun run;
  run.start(command_of(settings));
  ASSERT_TRUE(QTest::qWaitFor([&] { return run.progress().done >= 1 || !run.is_active(); },
                              kToolPatience_ms));
  run.cancel();
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(run.state(), ToolState::finished);
  EXPECT_EQ(run.exit_code(), 130) << text(run).toStdString();
  EXPECT_TRUE(run.result().isEmpty());
  EXPECT_EQ(interrupted_measurement(settings.output), path("m.json.partial"));
  EXPECT_TRUE(run.outcome().contains(QStringLiteral("m.json.partial")));
}

TEST_F(RealMansard, CanceledProfileOpens) {
  ToolCommand command = profile();
  command.arguments << QStringLiteral("--") << endless();
  ToolRun run;
  QSignalSpy started(&run, &ToolRun::recording_started);
  run.start(command);
  ASSERT_TRUE(QTest::qWaitFor([&] { return run.progress().events > 0 || !run.is_active(); },
                              kToolPatience_ms));
  ASSERT_EQ(started.size(), 1) << text(run).toStdString();
  EXPECT_EQ(started.front().front().toString(), path("run.sqlite"));
  EXPECT_NO_THROW(load_run(path("run.sqlite").toStdString(), {})) << "while being written";
  EXPECT_GT(run.progress().file_bytes, 0);
  run.cancel();
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(run.state(), ToolState::finished) << text(run).toStdString();
  ASSERT_EQ(run.result(), path("run.sqlite"));
  EXPECT_FALSE(load_run(run.result().toStdString(), {}).rows.empty());
  EXPECT_EQ(started.size(), 1);
}

TEST_F(RealMansard, KilledProfileOpens) {
  ToolCommand command = profile();
  command.arguments << QStringLiteral("--") << QStringLiteral("/bin/sh") << QStringLiteral("-c")
                    << QStringLiteral("trap '' INT TERM; \"$@\"") << QStringLiteral("sh")
                    << endless();
  ToolRun run;
  run.set_patience(200ms);
  run.start(command);
  ASSERT_TRUE(QTest::qWaitFor([&] { return run.progress().events > 0 || !run.is_active(); },
                              kToolPatience_ms));
  run.cancel();
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(run.exit_code(), 128 + SIGKILL) << text(run).toStdString();
  ASSERT_EQ(run.result(), path("run.sqlite"));
  EXPECT_FALSE(load_run(run.result().toStdString(), {}).rows.empty());
}

TEST_F(RealMansard, ReportsAProgramWithoutGpuWork) {
  ToolCommand command = profile();
  command.arguments << QStringLiteral("--") << QStringLiteral("/bin/true");
  ToolRun run;
  run.start(command);
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(run.state(), ToolState::failed);
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_TRUE(run.outcome().contains(QStringLiteral("nothing was recorded")))
      << run.outcome().toStdString();
}

TEST_F(RealMansard, NamesAMissingProgram) {
  ToolCommand command = profile();
  command.arguments << QStringLiteral("--") << QStringLiteral("no-such-program");
  ToolRun run;
  run.start(command);
  ASSERT_TRUE(wait_for_end(run));
  EXPECT_EQ(run.exit_code(), 127);
  EXPECT_TRUE(run.outcome().contains(QStringLiteral("no-such-program")))
      << run.outcome().toStdString();
}

}  // namespace
}  // namespace mansard::gui
