/* What a profiler is to NVTX: a module that is named by NVTX_INJECTION64_PATH and takes the calls of the ranges. Counts
 * those of the domain "Augur" by name. The interface between NVTX and profilers: nvtx3/nvtxDetail/nvtxTypes.h. */
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <string.h>

enum { kNames = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char* names[kNames];
static int counts[kNames];
static int known, open_ranges;
static int ours, others; /* domains */

static nvtxDomainHandle_t create(const char* name) {
    int* const domain = strcmp(name, "Augur") == 0 ? &ours : &others;
    return (nvtxDomainHandle_t)(void*)domain;
}

static int find(const char* name) {
    int i;
    for (i = 0; i < known; ++i)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* range) {
    int at;
    if ((void*)domain != (void*)&ours) return 0;
    pthread_mutex_lock(&mutex);
    at = find(range->message.ascii);
    if (at < 0 && known < kNames) {
        at = known++;
        names[at] = range->message.ascii;
    }
    if (at >= 0) ++counts[at];
    ++open_ranges;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static int pop(nvtxDomainHandle_t domain) {
    if ((void*)domain != (void*)&ours) return 0;
    pthread_mutex_lock(&mutex);
    --open_ranges;
    pthread_mutex_unlock(&mutex);
    return 0;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table) {
    const NvtxExportTableCallbacks* const callbacks = (const NvtxExportTableCallbacks*)table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable functions = NULL;
    unsigned int size = 0;
    if (callbacks == NULL || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &functions, &size)) return 0;
    *functions[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)create;
    *functions[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
    *functions[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
    return 1;
}

/* Ranges of Augur's that began, by name; null: those that have not ended. */
__attribute__((visibility("default"))) int watched_ranges(const char* name) {
    int count, at;
    pthread_mutex_lock(&mutex);
    at = name != NULL ? find(name) : -1;
    count = name == NULL ? open_ranges : at < 0 ? 0 : counts[at];
    pthread_mutex_unlock(&mutex);
    return count;
}
