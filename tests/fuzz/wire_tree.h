// A protobuf message as a tree of fields, without its schema: enough to change one part and write the rest as it was,
// with every length right. Bytes that read as a message are taken for one; written again they are the same bytes.
#ifndef AUGUR_TESTS_FUZZ_WIRE_TREE_H
#define AUGUR_TESTS_FUZZ_WIRE_TREE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace augur::fuzz {

struct WireField {
    std::uint32_t number = 0;
    std::uint32_t type = 0;   // 0: varint, 1: 8 bytes, 2: bytes or a message, 5: 4 bytes
    std::uint64_t value = 0;  // type 0
    std::string bytes;        // others; of type 2 only where there are no fields
    std::vector<WireField> fields;
};

// False where the bytes are no message.
bool read_wire(std::string_view bytes, int depth, std::vector<WireField>& out);

void write_wire(const std::vector<WireField>& fields, std::string& out);

// Every list of fields in the tree, the outermost first.
void lists_of(std::vector<WireField>& fields, std::vector<std::vector<WireField>*>& out);

}  // namespace augur::fuzz

#endif  // AUGUR_TESTS_FUZZ_WIRE_TREE_H
