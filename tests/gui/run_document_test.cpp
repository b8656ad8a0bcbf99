// SPDX-License-Identifier: Apache-2.0
#include "gui/models/run_document.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "gui/models/load_pool.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

using State = RunDocument::State;

void wait(RunDocument& document) {
  QSignalSpy spy(&document, &RunDocument::changed);
  while (document.state() == State::loading) ASSERT_TRUE(spy.wait(10000));
}

TEST(RunDocument, LoadsInTheBackground) {
  std::promise<void> go;
  RunDocument document(nullptr, [&go](const auto&, const auto&, const auto&) {
    go.get_future().wait();
    return *testing::training_run();
  });
  document.open(QStringLiteral("/some/run.sqlite"), {});
  EXPECT_EQ(document.state(), State::loading);
  EXPECT_EQ(document.run(), nullptr);
  EXPECT_EQ(document.title(), QStringLiteral("run.sqlite"));
  go.set_value();
  wait(document);
  EXPECT_EQ(document.state(), State::ready);
  ASSERT_NE(document.run(), nullptr);
  EXPECT_EQ(document.run()->rows.size(), testing::training_kernels().size());
}

TEST(RunDocument, PreparesTheDataOfViews) {
  QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("run.sqlite"));
  testing::write_training_run(file.toStdString());
  RunDocument document;
  document.open(file, {});
  EXPECT_EQ(document.open_run(), nullptr);
  wait(document);
  const std::shared_ptr<const OpenRun> run = document.open_run();
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->launches.size(), run->analysis.profile.kernels.size());
  EXPECT_FALSE(run->timeline.empty());
  EXPECT_EQ(document.run().get(), &run->analysis);
}

TEST(RunDocument, KeepsTheErrorMessage) {
  RunDocument document(nullptr, [](const auto&, const auto&, const auto&) -> analysis::RunAnalysis {
    throw std::runtime_error("x.sqlite is not a database; record it again");
  });
  document.open(QStringLiteral("x.sqlite"), {});
  wait(document);
  EXPECT_EQ(document.state(), State::failed);
  EXPECT_EQ(document.run(), nullptr);
  EXPECT_EQ(document.error(), QStringLiteral("x.sqlite is not a database; record it again"));
}

TEST(RunDocument, ReportsOnlyTheLastOfTwoLoads) {
  std::promise<void> go;
  std::shared_future<void> gone(go.get_future());
  RunDocument document(nullptr,
                       [gone](const std::filesystem::path& file, const auto&, const auto&) {
                         if (file == "slow") gone.wait();
                         analysis::RunAnalysis run;
                         run.title = file.string();
                         return run;
                       });
  document.open(QStringLiteral("slow"), {});
  document.open(QStringLiteral("fast"), {});
  wait(document);
  go.set_value();
  load_pool().waitForDone();
  QCoreApplication::processEvents();
  ASSERT_NE(document.run(), nullptr);
  EXPECT_EQ(document.run()->title, "fast");
}

TEST(RunDocument, MayBeDestroyedWhileLoading) {
  std::promise<void> go;
  std::shared_future<void> gone(go.get_future());
  {
    RunDocument document(nullptr, [gone](const auto&, const auto&, const auto&) {
      gone.wait();
      return analysis::RunAnalysis();
    });
    document.open(QStringLiteral("x"), {});
  }  // does not wait: the load is still blocked
  go.set_value();
  load_pool().waitForDone();
  QCoreApplication::processEvents();
}

// A load that runs until it is canceled.
class Endless {
 public:
  analysis::RunAnalysis load(const store::LoadControl& control) {
    started_.set_value();
    try {
      for (;;) {
        control.check();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    } catch (const store::LoadCanceled&) {
      stopped_.set_value();
      throw;
    }
  }
  RunLoader loader() {
    return [this](const auto&, const auto&, const store::LoadControl& control) {
      return load(control);
    };
  }
  bool starts() { return happens(started_); }
  bool stops() { return happens(stopped_); }

 private:
  static bool happens(std::promise<void>& what) {
    return what.get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  }
  std::promise<void> started_;
  std::promise<void> stopped_;
};

TEST(RunDocument, CancelsALoad) {
  Endless endless;
  RunDocument document(nullptr, endless.loader());
  document.open(QStringLiteral("x"), {});
  ASSERT_TRUE(endless.starts());
  QSignalSpy changes(&document, &RunDocument::changed);
  document.cancel();
  EXPECT_EQ(document.state(), RunDocument::State::canceled);
  EXPECT_EQ(changes.count(), 1);
  EXPECT_TRUE(endless.stops());
  QCoreApplication::processEvents();
  EXPECT_EQ(document.state(), RunDocument::State::canceled);
  EXPECT_EQ(document.run(), nullptr);
  document.cancel();  // nothing to cancel
  EXPECT_EQ(changes.count(), 1);
}

TEST(RunDocument, CancelsASupersededLoad) {
  Endless endless;
  RunDocument document(nullptr, [&](const auto& file, const auto&, const auto& control) {
    return file == "slow" ? endless.load(control) : *testing::training_run();
  });
  document.open(QStringLiteral("slow"), {});
  ASSERT_TRUE(endless.starts());
  document.open(QStringLiteral("fast"), {});
  EXPECT_TRUE(endless.stops());
  wait(document);
  EXPECT_EQ(document.state(), State::ready);
}

TEST(RunDocument, CancelsItsLoadOnDestruction) {
  Endless endless;
  {
    RunDocument document(nullptr, endless.loader());
    document.open(QStringLiteral("x"), {});
    ASSERT_TRUE(endless.starts());
  }
  EXPECT_TRUE(endless.stops());
  load_pool().waitForDone();
}

TEST(RunDocument, ReportsProgress) {
  constexpr int kReports = 2000;
  RunDocument document(nullptr, [](const auto&, const auto&, const store::LoadControl& control) {
    for (int i = 0; i < kReports; ++i) {
      control.report("Reading", static_cast<double>(i) / kReports);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return *testing::training_run();
  });
  int told = 0;
  double last = 0;
  QObject::connect(&document, &RunDocument::progress_changed, &document, [&] {
    EXPECT_GE(document.progress().fraction, last);
    EXPECT_LE(document.progress().fraction, 1);
    EXPECT_FALSE(document.progress().stage.isEmpty());
    last = document.progress().fraction;
    ++told;
  });
  const auto start = std::chrono::steady_clock::now();
  document.open(QStringLiteral("x"), {});
  wait(document);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(document.state(), State::ready);
  EXPECT_GE(told, 2);
  EXPECT_LE(told, 20 * time.count() + 1);
  EXPECT_EQ(document.progress().stage, QString());
}

TEST(RunDocument, ShowsTheRunWhileItIsReloaded) {
  std::promise<void> go;
  std::shared_future<void> gone(go.get_future());
  std::atomic<int> loads = 0;
  RunDocument document(nullptr,
                       [&, gone](const auto&, const auto&, const store::LoadControl& control) {
                         if (loads++ > 0) gone.wait();
                         control.check();
                         analysis::RunAnalysis run;
                         run.title = "load " + std::to_string(loads);
                         return run;
                       });
  document.open(QStringLiteral("x"), {});
  wait(document);
  const auto before = document.open_run();
  document.reload();
  EXPECT_EQ(document.state(), State::ready);
  EXPECT_TRUE(document.reloading());
  EXPECT_EQ(document.open_run(), before);
  go.set_value();
  QSignalSpy changes(&document, &RunDocument::changed);
  ASSERT_TRUE(changes.wait(10000));
  EXPECT_FALSE(document.reloading());
  EXPECT_EQ(document.run()->title, "load 2");
}

TEST(RunDocument, KeepsTheRunWhenAReloadIsCanceled) {
  std::atomic<int> loads = 0;
  Endless endless;
  RunDocument document(nullptr, [&](const auto&, const auto&, const auto& control) {
    return loads++ > 0 ? endless.load(control) : *testing::training_run();
  });
  document.open(QStringLiteral("x"), {});
  wait(document);
  document.reload();
  ASSERT_TRUE(endless.starts());
  document.cancel();
  EXPECT_TRUE(endless.stops());
  EXPECT_EQ(document.state(), State::ready);
  EXPECT_FALSE(document.reloading());
  EXPECT_NE(document.run(), nullptr);
}

TEST(RunDocument, KeepsTheRunWhileOtherMachinesLoad) {
  RunDocument document(nullptr, [](const auto&, const auto& machines, const auto&) {
    analysis::RunAnalysis run;
    run.title = std::to_string(machines.size()) + " machines";
    return run;
  });
  const auto done = [&] { return !document.reloading() && document.state() != State::loading; };
  document.open(QStringLiteral("x"), {});
  wait(document);
  const auto before = document.open_run();
  document.open(QStringLiteral("x"), {QStringLiteral("h200.json")});
  EXPECT_TRUE(document.reloading());
  EXPECT_EQ(document.open_run(), before);
  ASSERT_TRUE(QTest::qWaitFor(done, 10000));
  EXPECT_EQ(document.run()->title, "1 machines");
  document.open(QStringLiteral("y"), {});
  EXPECT_EQ(document.state(), State::loading);
  EXPECT_EQ(document.open_run(), nullptr) << "not valid for another file";
}

TEST(RunDocument, KeepsTheRunWhenAReloadFails) {
  std::atomic<bool> broken = false;
  RunDocument document(nullptr, [&](const auto&, const auto&, const auto&) {
    if (broken) throw std::runtime_error("x is locked");
    return *testing::training_run();
  });
  const auto done = [&] { return !document.reloading(); };
  document.open(QStringLiteral("x"), {});
  wait(document);
  const auto before = document.open_run();
  broken = true;
  document.reload();
  ASSERT_TRUE(QTest::qWaitFor(done, 10000));
  EXPECT_EQ(document.state(), State::ready);
  EXPECT_EQ(document.open_run(), before);
  EXPECT_EQ(document.error(), QStringLiteral("x is locked"));
  broken = false;
  document.reload();
  ASSERT_TRUE(QTest::qWaitFor(done, 10000));
  EXPECT_NE(document.open_run(), before);
  EXPECT_TRUE(document.error().isEmpty());
}

class RealFiles : public ::testing::Test {
 protected:
  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  void write(const char* name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  std::string error_of(const char* name) const {
    try {
      load_run(path(name), {});
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "";
  }

 private:
  QTemporaryDir folder_;
};

TEST_F(RealFiles, ProfileIsAnalyzedWithTheModel) {
  testing::write_training_run(path("run.sqlite"));
  write("h200.json", roofline::to_json(testing::h200()));
  const analysis::RunAnalysis run = load_run(path("run.sqlite"), {path("h200.json")});
  EXPECT_EQ(run.title, "run");
  ASSERT_TRUE(run.machine);
  EXPECT_EQ(run.machine->device.name, "NVIDIA H200");
  ASSERT_EQ(run.rows.size(), testing::training_kernels().size());
  const auto expected = testing::training_run();
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    EXPECT_EQ(run.rows[i].launches, expected->rows[i].launches) << i;
    EXPECT_NEAR(run.rows[i].time_s / expected->rows[i].time_s, 1, 1e-3) << i;
    EXPECT_EQ(run.rows[i].sol.ceiling, expected->rows[i].sol.ceiling) << i;
  }
}

TEST_F(RealFiles, MachineModelOpens) {
  write("h200.json", roofline::to_json(testing::h200()));
  const analysis::RunAnalysis run = load_run(path("h200.json"), {});
  ASSERT_TRUE(run.machine);
  EXPECT_EQ(run.machine->device.name, "NVIDIA H200");
  EXPECT_TRUE(run.rows.empty());
  EXPECT_FALSE(run.notes.empty());
}

TEST_F(RealFiles, PyTorchTraceOpens) {
  const std::filesystem::path trace = MANSARD_SOURCE_FOLDER "/examples/kineto/llama_bf16.json.gz";
  const analysis::RunAnalysis run = load_run(trace, {});
  EXPECT_EQ(run.profile.kernels.size(), 691u);  // docs/validation/h200.md
  EXPECT_EQ(run.profile.file, trace);
  EXPECT_FALSE(run.rows.empty());
  std::atomic<bool> canceled = true;
  EXPECT_THROW(load_run(trace, {}, {.canceled = &canceled}), store::LoadCanceled);
}

TEST_F(RealFiles, ErrorsNameTheFile) {
  write("corrupt.sqlite", std::string(5000, 'x'));
  write("empty.sqlite", "");
  write("broken.json", "{\"schema_version\": ");
  for (const char* name : {"missing.sqlite", "corrupt.sqlite", "empty.sqlite", "broken.json"}) {
    EXPECT_NE(error_of(name).find(name), std::string::npos) << name << ": " << error_of(name);
  }
}

}  // namespace
}  // namespace mansard::gui
