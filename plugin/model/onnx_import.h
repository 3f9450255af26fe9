// From the bytes of a file to a draft: every node in the file's order through the operator table.
#ifndef AUGUR_MODEL_ONNX_IMPORT_H
#define AUGUR_MODEL_ONNX_IMPORT_H

#include "model/draft.h"
#include "model/external_data.h"
#include "model/onnx.h"
#include "model/onnx_proto.h"

namespace augur::model {

struct Imported {
    Draft draft;
    std::uint32_t opset = 0, ir_version = 0;
    bool batch_is_one = false;
    std::string producer;
};

// Throws Refusal.
Imported import_onnx(const OnnxDecoder& decoder, ExternalData& external, const ImportLimits& limits);

}  // namespace augur::model

#endif  // AUGUR_MODEL_ONNX_IMPORT_H
