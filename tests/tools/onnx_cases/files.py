"""Whole files: batches, inputs, outputs, damage, and what no importer should guess at."""

import numpy as np
from onnx import TensorProto, helper

from onnx_cases.common import FLOAT, NEWEST, computes, constant, floats, model_of, node, refused


def make():
    family = "files"
    relu = [node("Relu", ["x"])]
    # The batch: a symbol, no name at all, 1, another number.
    unnamed = model_of(relu, 13, {"x": [3]}, ["y"])
    unnamed.graph.input[0].type.tensor_type.shape.dim[0].Clear()
    computes(family, "batch/unnamed", unnamed)
    computes(family, "batch/one", model_of(relu, 13, {"x": (1, 3)}, ["y"]), fixed=True)
    refused(family, "batch/four", model_of(relu, 13, {"x": (4, 3)}, ["y"]), "UNSUPPORTED_OPERATOR", "[4, 3]")
    refused(family, "batch/zero", model_of(relu, 13, {"x": (0, 3)}, ["y"]), "UNSUPPORTED_OPERATOR", "[0, 3]")
    refused(family, "batch/mixed", model_of([node("Concat", ["x", "z"], axis=1)], 13, {"x": (1, 3), "z": ("N", 3)}, ["y"]),
            "UNSUPPORTED_OPERATOR", "fixed to 1 in some")
    refused(family, "input/open_dimension", model_of(relu, 13, {"x": ("N", "M")}, ["y"]), "UNSUPPORTED_OPERATOR", "'M'")
    refused(family, "input/integers", model_of([node("Cast", ["x"], to=FLOAT)], 13, {"x": ([3], {"type": TensorProto.INT64})}, ["y"]),
            "UNSUPPORTED_OPERATOR", "int64")
    shapeless = model_of(relu, 13, {"x": [3]}, ["y"])
    shapeless.graph.input[0].type.tensor_type.ClearField("shape")
    refused(family, "input/no_shape", shapeless, "UNSUPPORTED_OPERATOR", "no shape")
    negative = model_of(relu, 13, {"x": ("N", -3)}, ["y"])
    refused(family, "input/negative", negative, "INVALID_MODEL", "-3")
    rank = model_of(relu, 13, {"x": ("N", *[1] * 999)}, ["y"])
    refused(family, "input/rank_1000", rank, "INVALID_MODEL", "dimensions")
    huge = model_of(relu, 13, {"x": ("N", 2**31 - 1, 2**31 - 1)}, ["y"])
    refused(family, "input/huge", huge, "LIMIT", "elements")
    five = {f"x{i}": [2] for i in range(5)}
    refused(family, "input/five", model_of([node("Sum", list(five))], 13, five, ["y"]), "LIMIT", "4 inputs")
    computes(family, "input/four", model_of([node("Sum", list(five)[:4])], 13, dict(list(five.items())[:4]), ["y"]))
    computes(family, "input/unused", model_of(relu, 13, {"x": [3], "unused": [2]}, ["y"]))
    sequence = model_of(relu, 13, {"x": [3]}, ["y"])
    sequence.graph.input[0].type.CopyFrom(helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, [3])))
    refused(family, "input/sequence", sequence, "UNSUPPORTED_OPERATOR", "no tensor")
    nested = helper.make_tensor_type_proto(FLOAT, [3])
    for _ in range(60):  # deeper than 100 and the Python package itself gives up
        nested = helper.make_sequence_type_proto(nested)
    deep = model_of(relu, 13, {"x": [3]}, ["y"])
    deep.graph.input[0].type.CopyFrom(nested)
    refused(family, "input/nested_types", deep, "UNSUPPORTED_OPERATOR", "no tensor")

    # Older files list weights among the inputs.
    listed = model_of([node("MatMul", ["x", "w"])], 9, {"x": [3], "w": [2]}, ["y"], [floats("w", [3, 2], "w")], ir=3)
    listed.graph.input[1].type.CopyFrom(helper.make_tensor_type_proto(FLOAT, [3, 2]))
    computes(family, "input/weights_listed", listed)

    # Outputs.
    computes(family, "output/of_input", model_of(relu, 13, {"x": [3]}, ["y", "x"]))
    computes(family, "output/in_between", model_of(
        [node("Relu", ["x"], ["r"]), node("Neg", ["r"], ["y"]), node("Abs", ["y"], ["z"])], 13, {"x": [3]}, ["r", "z", "y"]))
    refused(family, "output/constant", model_of(
        [node("Relu", ["x"], ["z"]), node("Neg", ["c"])], 13, {"x": [3]}, ["y"], [floats("c", [1, 3], "c")]), "UNSUPPORTED_OPERATOR", "does not depend")
    refused(family, "output/nowhere", model_of(relu, 13, {"x": [3]}, ["nowhere"]), "INVALID_MODEL", "'nowhere'")
    twice = model_of(relu, 13, {"x": [3]}, ["y", "y"])
    refused(family, "output/twice", twice, "INVALID_MODEL", "'y'")
    nine = [f"y{i}" for i in range(9)]
    refused(family, "output/nine", model_of([node("Relu", ["x"], [n]) for n in nine], 13, {"x": [3]}, nine), "LIMIT", "8 outputs")
    none = model_of(relu, 13, {"x": [3]}, [])
    refused(family, "output/none", none, "INVALID_MODEL", "no output")

    # Dead nodes, and steps that share weights.
    computes(family, "graph/dead_node", model_of(
        [node("Neg", ["x"], ["dead"]), node("Relu", ["x"])], 13, {"x": [3]}, ["y"]))
    computes(family, "graph/shared_weights", model_of(
        [node("MatMul", ["x", "w"], ["a"]), node("Relu", ["a"], ["b"]), node("MatMul", ["b", "w"], ["c"]), node("Add", ["c", "d"])],
        13, {"x": [3]}, ["y"], [floats("w", [3, 3], "w"), floats("d", [3], "d")]))
    computes(family, "graph/residual_made_later", model_of(
        [node("MatMul", ["x", "w"], ["a"]), node("Neg", ["x"], ["n"]), node("Exp", ["n"], ["e"]), node("Add", ["a", "e"], ["s"]), node("Relu", ["s"])],
        13, {"x": [3]}, ["y"], [floats("w", [3, 3], "w")]))
    computes(family, "graph/residual_used_twice", model_of(
        [node("MatMul", ["x", "w"], ["a"]), node("Add", ["a", "x"], ["s"]), node("Mul", ["s", "a"])],
        13, {"x": [3]}, ["y"], [floats("w", [3, 3], "w")]))
    computes(family, "graph/scale_and_shift", model_of(
        [node("MatMul", ["x", "w"], ["a"]), node("Mul", ["a", "s"], ["b"]), node("Sub", ["t", "b"], ["c"]), node("Div", ["c", "u"], ["d"]), node("Tanh", ["d"])],
        13, {"x": [3]}, ["y"], [floats("w", [3, 4], "w"), floats("s", [4], "s"), floats("t", [1, 4], "t"), constant("u", np.float32(3))]))
    computes(family, "graph/scale_of_matrix_rows_stays", model_of(
        [node("MatMul", ["x", "w"], ["a"]), node("Mul", ["a", "s"])],
        13, {"x": [2, 3]}, ["y"], [floats("w", [3, 4], "w"), floats("s", [2, 1], "s")]))
    computes(family, "graph/scale_of_pixels_stays", model_of(
        [node("Conv", ["x", "w"], ["a"]), node("Mul", ["a", "s"], ["b"]), node("Add", ["b", "t"])],
        13, {"x": [2, 3, 3]}, ["y"], [floats("w", [2, 2, 2, 2], "w"), floats("s", [2], "s"), floats("t", [2, 1, 1], "t")]))
    computes(family, "graph/same_parts_many_times", model_of(
        [node("Concat", ["x", "x"], ["a"], axis=1), node("Concat", ["a", "a", "x"], ["b"], axis=1), node("Relu", ["b"])], 13, {"x": [2]}, ["y"]))
    # gelu, as exporters write it before opset 20.
    root = constant("root", np.float32(np.sqrt(2)))
    half, one = constant("half", np.float32(0.5)), constant("one", np.float32(1))
    w = floats("w", [3, 3], "w")
    gate = [node("MatMul", ["i", "w"], ["x"]), node("Div", ["x", "root"], ["d"]), node("Erf", ["d"], ["e"]), node("Add", ["e", "one"], ["g"])]
    computes(family, "graph/gelu_product_halved", model_of(
        gate + [node("Mul", ["x", "g"], ["p"]), node("Mul", ["p", "half"])], 13, {"i": [3]}, ["y"], [root, half, one, w]))
    computes(family, "graph/gelu_input_halved", model_of(
        gate + [node("Mul", ["x", "half"], ["p"]), node("Mul", ["p", "g"])], 13, {"i": [3]}, ["y"], [root, half, one, w]))
    computes(family, "graph/gelu_gate_halved", model_of(
        gate + [node("Mul", ["half", "g"], ["p"]), node("Mul", ["p", "x"])], 13, {"i": [3]}, ["y"], [root, half, one, w]))
    computes(family, "graph/nearly_gelu", model_of(
        gate + [node("Mul", ["i", "g"], ["p"]), node("Mul", ["p", "half"])], 13, {"i": [3]}, ["y"], [root, half, one, w]))

    # What no importer should guess at.
    for op in ("RandomNormalLike", "LSTM", "ConvTranspose", "ArgMax", "Log", "Resize", "NonMaxSuppression", "QuantizeLinear"):
        refused(family, f"operator/{op}", model_of([node(op, ["x"], named="culprit")], 13, {"x": [3]}, ["y"]), "UNSUPPORTED_OPERATOR",
                f"node 'culprit' ('{op}', ai.onnx opset 13)")
    refused(family, "operator/unknown", model_of([node("Frobnicate", ["x"])], 13, {"x": [3]}, ["y"]), "UNSUPPORTED_OPERATOR", "'Frobnicate'")
    refused(family, "operator/too_new_for_opset", model_of([node("Gelu", ["x"])], 19, {"x": [3]}, ["y"]), "UNSUPPORTED_OPERATOR", "from opset 20")
    other = model_of([helper.make_node("Gelu", ["x"], ["y"], name="gelu", domain="com.microsoft")], 13, {"x": [3]}, ["y"])
    refused(family, "operator/domain", other, "UNSUPPORTED_OPERATOR", "'com.microsoft' opset")
    refused(family, "operator/attribute", model_of([node("Relu", ["x"], slope=0.5)], 13, {"x": [3]}, ["y"]), "UNSUPPORTED_OPERATOR", "'slope'")
    refused(family, "operator/attribute_type", model_of([node("LeakyRelu", ["x"], alpha=1)], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "'alpha'")
    for opset in (1, 8, NEWEST + 1, 1000):
        late = model_of(relu, 13, {"x": [3]}, ["y"])
        late.opset_import[0].version = opset
        refused(family, f"opset/{opset}", late, "UNSUPPORTED_OPERATOR", f"opset {opset} ")
    no_opset = model_of(relu, 13, {"x": [3]}, ["y"])
    del no_opset.opset_import[:]
    refused(family, "opset/none", no_opset, "INVALID_MODEL", "which opset")
    two = model_of(relu, 13, {"x": [3]}, ["y"])
    two.opset_import.append(helper.make_opsetid("ai.onnx", 14))
    refused(family, "opset/two", two, "INVALID_MODEL", "13 and 14")
    for ir, code in ((0, "INVALID_MODEL"), (2, "INVALID_MODEL"), (99, "UNSUPPORTED_OPERATOR")):
        odd = model_of(relu, 13, {"x": [3]}, ["y"])
        odd.ir_version = ir
        refused(family, f"ir/{ir}", odd, code, "IR version")

    # Graphs that contradict themselves.
    refused(family, "graph/cycle", model_of([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])], 13, {"x": [3]}, ["b"]), "INVALID_MODEL", "'b'")
    refused(family, "graph/self", model_of([node("Add", ["x", "y"], ["y"])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "'y'")
    refused(family, "graph/out_of_order", model_of([node("Relu", ["a"], ["y"]), node("Relu", ["x"], ["a"])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "'a'")
    refused(family, "graph/missing_input", model_of([node("Add", ["x", "nothing"])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "'nothing'")
    refused(family, "graph/same_name_twice", model_of([node("Relu", ["x"]), node("Neg", ["x"])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "name of something else")
    refused(family, "graph/result_named_as_weight", model_of([node("Relu", ["x"], ["w"])], 13, {"x": [3]}, ["w"], [floats("w", [3], "w")]), "INVALID_MODEL", "name of something else")
    double = model_of(relu, 13, {"x": [3]}, ["y"], [floats("w", [3], "w"), floats("w", [3], "v")])
    refused(family, "graph/weight_twice", double, "INVALID_MODEL", "twice")
    nameless = model_of(relu, 13, {"x": [3]}, ["y"], [constant("", np.zeros(3, np.float32))])
    refused(family, "graph/weight_without_name", nameless, "INVALID_MODEL", "no name")
    twins = model_of(relu, 13, {"x": [3]}, ["y"])
    twins.graph.input.append(twins.graph.input[0])
    refused(family, "graph/input_twice", twins, "INVALID_MODEL", "'x'")
    refused(family, "graph/no_inputs_of_node", model_of([node("Relu", [])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "inputs")
    refused(family, "graph/too_many_inputs_of_node", model_of([node("Relu", ["x", "x"])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "2 inputs")
    refused(family, "graph/too_many_outputs_of_node", model_of([node("Relu", ["x"], ["y", "z"])], 13, {"x": [3]}, ["y"]), "INVALID_MODEL", "2 outputs")
    empty = model_of(relu, 13, {"x": [3]}, ["y"])
    empty.ClearField("graph")
    refused(family, "graph/none", empty, "INVALID_MODEL", "no graph")
    no_input = model_of([node("Constant", [], ["c"], value_float=1.0), node("Relu", ["c"])], 13, {}, ["y"])
    refused(family, "graph/no_input", no_input, "UNSUPPORTED_OPERATOR", "no input")

    # Broadcasts and shapes that do not go together.
    refused(family, "shape/do_not_broadcast", model_of([node("Add", ["a", "b"])], 13, {"a": [3], "b": [4]}, ["y"]), "INVALID_MODEL", "broadcast")
    refused(family, "shape/batch_meets_row", model_of([node("Add", ["a", "b"])], 13, {"a": [3], "b": [3, 3]}, ["y"]), "UNSUPPORTED_OPERATOR", "mix rows")
    refused(family, "shape/constant_with_rows", model_of([node("Add", ["a", "c"])], 13, {"a": [3]}, ["y"], [floats("c", [2, 3], "c")]), "UNSUPPORTED_OPERATOR", "mix rows")
    refused(family, "shape/constant_with_more_dimensions", model_of([node("Add", ["a", "c"])], 13, {"a": [3]}, ["y"], [floats("c", [1, 1, 3], "c")]), "UNSUPPORTED_OPERATOR", "mix rows")

    # Payloads that do not go with their dimensions.
    def payload(label, change, code="INVALID_MODEL", said="'w'"):
        bad = model_of([node("MatMul", ["x", "w"])], 13, {"x": [3]}, ["y"], [floats("w", [3, 2], "w")])
        change(bad.graph.initializer[0])
        refused(family, f"payload/{label}", bad, code, said)

    def dims(*values):
        def change(tensor):
            tensor.ClearField("dims")
            tensor.dims.extend(values)
        return change

    payload("short", lambda t: setattr(t, "raw_data", t.raw_data[:-4]))
    payload("long", lambda t: setattr(t, "raw_data", t.raw_data + b"\0\0\0\0"))
    payload("half_a_number", lambda t: setattr(t, "raw_data", t.raw_data[:-1]))
    payload("none", lambda t: t.ClearField("raw_data"))
    payload("dims_negative", dims(-3, 2))
    payload("dims_overflow", dims(2**32, 2**32))
    payload("dims_wrap_to_six", dims(2**63 - 1, 2**63 - 1, 6))
    payload("dims_product_beyond_memory", dims(2**20, 2**19))
    payload("dims_huge", dims(2**31 - 1), said="'w'")
    payload("dims_too_many", dims(*[1] * 1000), said="1000 dimensions")
    payload("type_none", lambda t: setattr(t, "data_type", 0))
    payload("type_unknown", lambda t: setattr(t, "data_type", 77), code="UNSUPPORTED_OPERATOR")
    payload("type_complex", lambda t: setattr(t, "data_type", TensorProto.COMPLEX64), code="UNSUPPORTED_OPERATOR")

    def outside(location, offset=None, length=None):
        def change(tensor):
            tensor.ClearField("raw_data")
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in (("location", location), ("offset", offset), ("length", length)):
                if value is not None:
                    entry = tensor.external_data.add()
                    entry.key, entry.value = key, value
        return change

    payload("external_from_memory", outside("w.bin"), said="no folder was given")

    # Subgraphs, sparse tensors and functions are named, not entered.
    body = helper.make_graph([node("Relu", ["x"], ["r"])], "then", [], [helper.make_tensor_value_info("r", FLOAT, None)])
    choice = helper.make_node("If", ["c"], ["y"], name="choice", then_branch=body, else_branch=body)
    refused(family, "subgraph/if", model_of([choice], 13, {"x": [3]}, ["y"], [constant("c", np.bool_(True))]), "UNSUPPORTED_OPERATOR", "'choice'")
    for _ in range(20):  # 62 messages deep; Python's protobuf stops at 100. Deeper ones are made by the C++ test
        body = helper.make_graph([helper.make_node("Loop", ["c"], ["r"], name="choice", body=body)], "then", [],
                                 [helper.make_tensor_value_info("r", FLOAT, None)])
    refused(family, "subgraph/nested", model_of([helper.make_node("Loop", ["c"], ["y"], name="choice", body=body)], 13, {"x": [3]}, ["y"], [constant("c", np.bool_(True))]),
            "UNSUPPORTED_OPERATOR", "'choice'")
    sparse = model_of(relu, 13, {"x": [3]}, ["y"])
    sparse.graph.sparse_initializer.add().dims.extend([3])
    refused(family, "sparse/initializer", sparse, "UNSUPPORTED_OPERATOR", "sparse")
    function = helper.make_function("own", "twice", ["a"], ["b"], [node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 13)])
    local = model_of(relu, 13, {"x": [3]}, ["y"], functions=[function])
    refused(family, "function/local", local, "UNSUPPORTED_OPERATOR", "'twice'")
    recursive = helper.make_function("own", "again", ["a"], ["b"], [helper.make_node("again", ["a"], ["b"], domain="own")], [helper.make_opsetid("own", 1)])
    refused(family, "function/recursive", model_of(relu, 13, {"x": [3]}, ["y"], functions=[recursive]), "UNSUPPORTED_OPERATOR", "'again'")
