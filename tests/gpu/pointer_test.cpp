// What the driver may say of a pointer that a host registers as CUDA memory. Needs no GPU: the answers are made up.

#include <gtest/gtest.h>

#include "backend/cuda/buffers.h"

namespace augur::cuda {
namespace {

augur_result checked(cudaMemoryType type, int device, int ordinal, std::string* message = nullptr) {
    cudaPointerAttributes attributes{};
    attributes.type = type;
    attributes.device = device;
    std::string text;
    const augur_result result = check_device_memory(attributes, ordinal, text);
    EXPECT_EQ(text.empty(), result == AUGUR_OK);
    if (message != nullptr) *message = text;
    return result;
}

TEST(DevicePointer, OfTheContextsGpuIsTaken) {
    EXPECT_EQ(checked(cudaMemoryTypeDevice, 0, 0), AUGUR_OK);
    EXPECT_EQ(checked(cudaMemoryTypeDevice, 3, 3), AUGUR_OK);
    EXPECT_EQ(checked(cudaMemoryTypeManaged, 0, 1), AUGUR_OK);  // every GPU sees it
}

TEST(DevicePointer, OfAnotherGpuIsRefusedWithBothNumbers) {
    std::string message;
    EXPECT_EQ(checked(cudaMemoryTypeDevice, 2, 5, &message), AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_NE(message.find("device 2"), std::string::npos) << message;
    EXPECT_NE(message.find("device 5"), std::string::npos) << message;
}

TEST(DevicePointer, OfTheHostIsRefused) {
    EXPECT_EQ(checked(cudaMemoryTypeHost, 0, 0), AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_EQ(checked(cudaMemoryTypeUnregistered, 0, 0), AUGUR_ERROR_INVALID_BUFFER);
}

}  // namespace
}  // namespace augur::cuda
