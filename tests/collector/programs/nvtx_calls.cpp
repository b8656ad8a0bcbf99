// SPDX-License-Identifier: Apache-2.0
// Makes every recorded NVTX call once. Prints the return values.
#include <cstdio>
#include <thread>
#include <unistd.h>

#include <nvtx3/nvToolsExt.h>

#include <sys/syscall.h>

namespace {

nvtxEventAttributes_t attributes() {
  nvtxEventAttributes_t a{};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  return a;
}

nvtxEventAttributes_t ascii(const char* text) {
  nvtxEventAttributes_t a = attributes();
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = text;
  return a;
}

}  // namespace

int main() {
  nvtxRangePushA("push a");
  nvtxRangePushW(L"push w \u00e9\u20ac\U0001F680");
  nvtxEventAttributes_t rich = ascii("push ex");
  rich.category = 6;
  rich.colorType = NVTX_COLOR_ARGB;
  rich.color = 0xff123456;
  rich.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  rich.payload.llValue = -42;
  std::printf("%d", nvtxRangePushEx(&rich));
  std::printf(" %d", nvtxRangePop());
  std::printf(" %d", nvtxRangePop());
  std::printf(" %d", nvtxRangePop());
  std::printf(" %d\n", nvtxRangePop() < 0 ? -1 : 0);  // one too many

  nvtxMarkA("mark a");
  nvtxMarkW(L"mark w");
  const nvtxEventAttributes_t mark = ascii("mark ex");
  nvtxMarkEx(&mark);

  const nvtxRangeId_t here = nvtxRangeStartA("start a");
  const nvtxRangeId_t wide = nvtxRangeStartW(L"start w");
  const nvtxEventAttributes_t started = ascii("start ex");
  const nvtxRangeId_t elsewhere = nvtxRangeStartEx(&started);
  nvtxRangeEnd(here);
  nvtxRangeEnd(wide);
  std::thread([elsewhere] { nvtxRangeEnd(elsewhere); }).join();
  nvtxRangeStartA("never ended");

  nvtxNameCategoryA(6, "category six");
  nvtxNameOsThreadA(static_cast<uint32_t>(syscall(SYS_gettid)), "main thread");

  // Domains nest independently.
  const nvtxDomainHandle_t a = nvtxDomainCreateA("domain a");
  const nvtxDomainHandle_t b = nvtxDomainCreateW(L"domain b");
  const nvtxDomainHandle_t again = nvtxDomainCreateA("domain a");
  nvtxEventAttributes_t registered = attributes();
  registered.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  registered.message.registered = nvtxDomainRegisterStringA(a, "registered | flop=12");
  const nvtxEventAttributes_t in_b = ascii("in b");
  nvtxDomainRangePushEx(a, &registered);
  nvtxDomainRangePushEx(b, &in_b);
  nvtxDomainRangePop(a);
  nvtxDomainRangePop(b);
  registered.message.registered = nvtxDomainRegisterStringW(again, L"registered w");
  nvtxDomainMarkEx(again, &registered);
  const nvtxEventAttributes_t crossing = ascii("domain start");
  nvtxDomainRangeEnd(b, nvtxDomainRangeStartEx(b, &crossing));
  nvtxDomainNameCategoryA(a, 3, "category of a");

  // Invalid arguments, as passed by careless programs.
  nvtxRangePushA(nullptr);
  nvtxRangePop();
  nvtxMarkEx(nullptr);
  nvtxRangeEnd(123456789);
  nvtxDomainDestroy(b);
}
