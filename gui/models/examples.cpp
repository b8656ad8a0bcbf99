// SPDX-License-Identifier: Apache-2.0
#include "gui/models/examples.h"

#include <QDir>
#include <QFileInfo>
#include <QObject>

namespace mansard::gui {
namespace {

constexpr int kMaxLevels = 5;  // of folders between the program and the source tree

struct KnownExample {
  const char* title;  // translatable
  const char* file;
  const char* baseline;
  const char* machine;
};

constexpr KnownExample kKnown[] = {
    {QT_TR_NOOP("A training step in FP8 on an H200"), "h200/training/llama_fp8.sqlite", "",
     "h200/machine.json"},
    {QT_TR_NOOP("The same step in FP8 compared with BF16"), "h200/training/llama_fp8.sqlite",
     "h200/training/llama_bf16.sqlite", "h200/machine.json"},
    {QT_TR_NOOP("Data-parallel training on two GPUs"), "h200/ranks.sqlite", "",
     "h200/machine.json"},
    {QT_TR_NOOP("A trace of the PyTorch profiler"), "kineto/llama_fp8.json.gz", "",
     "h200/machine.json"},
    {QT_TR_NOOP("An export of Nsight Systems"), "nsight/llama_fp8.sqlite", "", "h200/machine.json"},
};

bool has_examples(const QString& folder) {
  return QFileInfo(folder + QStringLiteral("/h200/machine.json")).isFile();
}

}  // namespace

QString examples_folder(const QString& program_folder) {
  const QDir program(program_folder);
  const QString installed =
      QDir::cleanPath(program.filePath(QStringLiteral("../share/mansard/examples")));
  if (has_examples(installed)) return installed;
  QString up;
  for (int level = 0; level < kMaxLevels; ++level) {
    const QString folder = QDir::cleanPath(program.filePath(up + QStringLiteral("examples")));
    if (has_examples(folder)) return folder;
    up += QStringLiteral("../");
  }
  return {};
}

std::vector<Example> examples_in(const QString& folder) {
  std::vector<Example> examples;
  if (folder.isEmpty()) return examples;
  const QDir in(folder);
  const auto path = [&](const char* file) {
    return *file == '\0' ? QString() : in.filePath(QString::fromLatin1(file));
  };
  const auto is_there = [](const QString& file) {
    return file.isEmpty() || QFileInfo(file).isFile();
  };
  for (const KnownExample& known : kKnown) {
    Example example{
        QObject::tr(known.title), path(known.file), path(known.baseline), {path(known.machine)}};
    if (is_there(example.file) && is_there(example.baseline)) examples.push_back(example);
  }
  return examples;
}

}  // namespace mansard::gui
