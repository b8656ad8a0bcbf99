// SPDX-License-Identifier: Apache-2.0
#include "gui/models/run_document.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QThreadPool>
#include <fstream>
#include <future>

#include <gtest/gtest.h>

#include "tests/gui/fixture.h"

namespace mansard {
namespace {

using State = RunDocument::State;

void wait(RunDocument& document) {
  QSignalSpy spy(&document, &RunDocument::changed);
  while (document.state() == State::loading) ASSERT_TRUE(spy.wait(10000));
}

TEST(RunDocument, LoadsInTheBackground) {
  std::promise<void> go;
  RunDocument document(nullptr, [&go](const auto&, const auto&) {
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

TEST(RunDocument, PreparesWhatViewsDraw) {
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

TEST(RunDocument, KeepsTheErrorAsText) {
  RunDocument document(nullptr, [](const auto&, const auto&) -> RunAnalysis {
    throw std::runtime_error("x.sqlite is no database; record it again");
  });
  document.open(QStringLiteral("x.sqlite"), {});
  wait(document);
  EXPECT_EQ(document.state(), State::failed);
  EXPECT_EQ(document.run(), nullptr);
  EXPECT_EQ(document.error(), QStringLiteral("x.sqlite is no database; record it again"));
}

TEST(RunDocument, ReportsOnlyTheLastOfTwoLoads) {
  std::promise<void> go;
  std::shared_future<void> gone(go.get_future());
  RunDocument document(nullptr, [gone](const std::filesystem::path& file, const auto&) {
    if (file == "slow") gone.wait();
    RunAnalysis run;
    run.title = file.string();
    return run;
  });
  document.open(QStringLiteral("slow"), {});
  document.open(QStringLiteral("fast"), {});
  wait(document);
  go.set_value();
  QThreadPool::globalInstance()->waitForDone();
  QCoreApplication::processEvents();
  ASSERT_NE(document.run(), nullptr);
  EXPECT_EQ(document.run()->title, "fast");
}

TEST(RunDocument, MayGoWhileItLoads) {
  std::promise<void> go;
  std::shared_future<void> gone(go.get_future());
  {
    RunDocument document(nullptr, [gone](const auto&, const auto&) {
      gone.wait();
      return RunAnalysis();
    });
    document.open(QStringLiteral("x"), {});
  }  // does not wait: the load is still held
  go.set_value();
  QThreadPool::globalInstance()->waitForDone();
  QCoreApplication::processEvents();
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

TEST_F(RealFiles, ARunIsAnalysedAgainstTheModel) {
  testing::write_training_run(path("run.sqlite"));
  write("h200.json", to_json(testing::h200()));
  const RunAnalysis run = load_run(path("run.sqlite"), {path("h200.json")});
  EXPECT_EQ(run.title, "run");
  ASSERT_TRUE(run.machine);
  EXPECT_EQ(run.machine->device.name, "NVIDIA H200");
  ASSERT_EQ(run.rows.size(), testing::training_kernels().size());
  const auto expected = testing::training_run();
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    EXPECT_EQ(run.rows[i].launches, expected->rows[i].launches) << i;
    EXPECT_NEAR(run.rows[i].time_s / expected->rows[i].time_s, 1, 1e-3) << i;
    EXPECT_EQ(run.rows[i].limit.ceiling, expected->rows[i].limit.ceiling) << i;
  }
}

TEST_F(RealFiles, AMachineModelIsShownAlone) {
  write("h200.json", to_json(testing::h200()));
  const RunAnalysis run = load_run(path("h200.json"), {});
  ASSERT_TRUE(run.machine);
  EXPECT_EQ(run.machine->device.name, "NVIDIA H200");
  EXPECT_TRUE(run.rows.empty());
  EXPECT_FALSE(run.notes.empty());
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
}  // namespace mansard
