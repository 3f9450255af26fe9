// Host memory as the CPU backend sees it.
#ifndef AUGUR_BACKEND_CPU_HOST_VIEW_H
#define AUGUR_BACKEND_CPU_HOST_VIEW_H

#include "backend/backend.h"

namespace augur {

class HostView final : public BackendBuffer {
  public:
    explicit HostView(void* data) : data_(static_cast<unsigned char*>(data)) {}
    unsigned char* data() const { return data_; }

  private:
    unsigned char* data_;
};

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_HOST_VIEW_H
