// SPDX-License-Identifier: Apache-2.0
// Annotated NVTX ranges for C (C99) and C++ (C++11) programs: each range states the FLOPs and bytes
// of its kernels, so that Mansard can compare them with the machine's ceilings. Needs the NVTX
// headers (nvtx3, part of the CUDA toolkit), and -ldl with an old C library, but no Mansard
// library. Installed as <mansard/annotate.h>.
//
//   C     const MansardWork work = {.name = "fprop", .flop = 2.0 * m * n * k,
//                                   .bytes = {{"hbm", 2.0 * (m * k + n * k + m * n)}},
//                                   .precision = "bf16", .operation_class = "gemm"};
//         mansard_push_work(&work);
//         launch(...);
//         mansard_pop_work();
//
//   C++   const mansard::annotate::Range range(mansard::annotate::Work("fprop").gemm(m, n, k)
//                                                  .bytes("hbm", bytes).precision("bf16"));
//
// The range's text is "fprop | flop=1.1e12 hbm=4.03e8 precision=bf16 class=gemm", which any NVTX
// tool shows. Tiers are hbm, l2, shared, nvlink, pcie, dram, ...; precisions are fp32, tf32, bf16,
// fp16, fp8_e4m3, fp8_e5m2, mxfp8, nvfp4, ...; classes are gemm, attention, norm, quantize, ...
// (`mansard list` prints all of them). Without an attached tool a range costs a load and a branch,
// and no text is built.
#ifndef MANSARD_ANNOTATE_H
#define MANSARD_ANNOTATE_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <nvtx3/nvToolsExt.h>

#define MANSARD_MOST_TIERS 8
#define MANSARD_MOST_TEXT 640
#define MANSARD_MOST_NAME 256

// Bytes read plus written in one memory tier.
typedef struct MansardBytes {
  const char* level;
  double bytes;
} MansardBytes;

// Members that are zero or null are omitted from the text.
typedef struct MansardWork {
  const char* name;
  double flop;
  MansardBytes bytes[MANSARD_MOST_TIERS];
  const char* precision;
  const char* operation_class;
  const char* shape;
} MansardWork;

// Replaces the locale's decimal point, which may be a comma or several bytes long, by '.'.
static inline void mansard_use_decimal_point(char* number) {
  char* out = number;
  int in_point = 0;
  for (const char* c = number; *c != '\0'; ++c) {
    const int plain = strchr("0123456789eE+-", *c) != NULL;
    if (plain) {
      *out++ = *c;
    } else if (!in_point) {
      *out++ = '.';
    }
    in_point = !plain;
  }
  *out = '\0';
}

// Appends " key=value" if all of it fits. Spaces in the value are replaced, because a space ends
// it.
static inline size_t mansard_append_pair(char* text, size_t used, const char* key,
                                         const char* value) {
  if (key == NULL || value == NULL || *key == '\0' || *value == '\0') return used;
  const size_t key_length = strlen(key);
  const size_t value_length = strlen(value);
  if (used + key_length + value_length + 3 > MANSARD_MOST_TEXT) return used;
  text[used++] = ' ';
  memcpy(text + used, key, key_length);
  used += key_length;
  text[used++] = '=';
  memcpy(text + used, value, value_length);
  for (size_t i = 0; i < value_length; ++i) {
    if (text[used + i] > 0 && text[used + i] <= ' ') text[used + i] = '_';
  }
  used += value_length;
  text[used] = '\0';
  return used;
}

static inline size_t mansard_append_number(char* text, size_t used, const char* key, double value) {
  char number[64];
  if (!(value > 0) || value >= 1e30) return used;  // NaN too
  snprintf(number, sizeof number, "%.17g", value);
  mansard_use_decimal_point(number);
  return mansard_append_pair(text, used, key, number);
}

// Writes the range's text to `text` (MANSARD_MOST_TEXT bytes). Truncates a long name, never the
// work.
static inline void mansard_work_text(const MansardWork* work, char* text) {
  const char* name = work->name != NULL ? work->name : "";
  size_t used = strlen(name);
  if (used > MANSARD_MOST_NAME) {
    used = MANSARD_MOST_NAME;
    while (used > 0 && (name[used] & 0xc0) == 0x80) --used;  // do not split a UTF-8 character
  }
  memcpy(text, name, used);
  memcpy(text + used, " |", 3);
  const size_t bar = used + 2;
  used = mansard_append_number(text, bar, "flop", work->flop);
  for (int i = 0; i < MANSARD_MOST_TIERS; ++i) {
    used = mansard_append_number(text, used, work->bytes[i].level, work->bytes[i].bytes);
  }
  used = mansard_append_pair(text, used, "precision", work->precision);
  used = mansard_append_pair(text, used, "class", work->operation_class);
  used = mansard_append_pair(text, used, "shape", work->shape);
  if (used == bar) text[bar - 2] = '\0';
}

// Whether an NVTX tool is attached, checked once: handles for strings exist only with a tool.
static inline int mansard_tool_attached(void) {
  static int known = 0;  // 1: no, 2: yes
#if defined(__GNUC__)
  int state = __atomic_load_n(&known, __ATOMIC_RELAXED);
#else
  int state = known;
#endif
  if (state == 0) {
    state = nvtxDomainRegisterStringA(NULL, "mansard") != NULL ? 2 : 1;
#if defined(__GNUC__)
    __atomic_store_n(&known, state, __ATOMIC_RELAXED);
#else
    known = state;
#endif
  }
  return state == 2;
}

static inline void mansard_push_work(const MansardWork* work) {
  char text[MANSARD_MOST_TEXT];
  if (!mansard_tool_attached()) return;
  mansard_work_text(work, text);
  nvtxRangePushA(text);
}

// Call on the thread that pushed the range.
static inline void mansard_pop_work(void) {
  if (mansard_tool_attached()) nvtxRangePop();
}

#ifdef __cplusplus

namespace mansard {
namespace annotate {

// Strings are not copied; they must outlive the Work.
class Work {
 public:
  explicit Work(const char* name) : work_(), tiers_(0), gemm_() { work_.name = name; }

  Work& flop(double flop) {
    work_.flop = flop;
    return *this;
  }
  Work& bytes(const char* level, double bytes) {
    if (tiers_ < MANSARD_MOST_TIERS) {
      work_.bytes[tiers_].level = level;
      work_.bytes[tiers_++].bytes = bytes;
    }
    return *this;
  }
  Work& precision(const char* key) {
    work_.precision = key;
    return *this;
  }
  Work& operation_class(const char* key) {
    work_.operation_class = key;
    return *this;
  }
  Work& shape(const char* text) {
    work_.shape = text;
    return *this;
  }
  // GEMM of an M x K and a K x N matrix: 2 M N K FLOP, class gemm, shape MxNxK.
  Work& gemm(long long m, long long n, long long k) {
    gemm_[0] = m;
    gemm_[1] = n;
    gemm_[2] = k;
    return operation_class("gemm").flop(2.0 * static_cast<double>(m) * static_cast<double>(n) *
                                        static_cast<double>(k));
  }

  void push() const {
    if (!mansard_tool_attached()) return;
    MansardWork work = work_;
    char gemm_shape[72];
    if (work.shape == nullptr && gemm_[0] > 0) {
      snprintf(gemm_shape, sizeof gemm_shape, "%lldx%lldx%lld", gemm_[0], gemm_[1], gemm_[2]);
      work.shape = gemm_shape;
    }
    mansard_push_work(&work);
  }

 private:
  MansardWork work_;
  int tiers_;
  long long gemm_[3];
};

// An annotated range for the enclosing scope, on the calling thread.
class Range {
 public:
  explicit Range(const Work& work) { work.push(); }
  explicit Range(const char* name) : Range(Work(name)) {}
  ~Range() { mansard_pop_work(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace annotate
}  // namespace mansard

#endif  // __cplusplus

#endif  // MANSARD_ANNOTATE_H
