// Profiler ranges as NVTX ranges of a domain of our own. NVTX is headers only: it looks once, at the first range,
// whether a profiler started the process, and is a null pointer from then on where none did.
#include "backend/profiler.h"

#include <nvtx3/nvToolsExt.h>

namespace augur {

namespace {

nvtxDomainHandle_t domain() {
    static const nvtxDomainHandle_t ours = nvtxDomainCreateA("Augur");
    return ours;
}

}  // namespace

void begin_profiler_range(const char* name) {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxDomainRangePushEx(domain(), &attributes);
}

void end_profiler_range() {
    nvtxDomainRangePop(domain());
}

}  // namespace augur
