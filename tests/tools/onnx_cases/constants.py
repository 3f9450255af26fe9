"""Constants, what is computed from shapes, and element types of weights."""

import numpy as np
from onnx import TensorProto, helper

from onnx_cases.common import FLOAT, computes, constant, floats, ints, model_of, node, refused, rng, versions


def make():
    family = "constants"
    for opset in versions("Constant"):
        forms = [("tensor", {"value": constant("v", np.array([1, 2, 3], np.float32))})]
        if opset >= 12:
            forms += [("float", {"value_float": 1.5}), ("floats", {"value_floats": [1.0, 2.0, 3.0]})]
        for label, attribute in forms:
            computes(family, f"Constant/{opset}/{label}", model_of(
                [node("Constant", [], ["c"], **attribute), node("Add", ["x", "c"])], opset, {"x": [3]}, ["y"]))
        if opset >= 12:
            computes(family, f"Constant/{opset}/ints", model_of(
                [node("Constant", [], ["c"], value_ints=[0, 2, 3]), node("Reshape", ["x", "c"])], opset, {"x": [6]}, ["y"]))
            computes(family, f"Constant/{opset}/int", model_of(
                [node("Constant", [], ["c"], value_int=1), node("Gather", ["x", "c"], axis=1)], opset, {"x": [6]}, ["y"]))
            refused(family, f"Constant/{opset}/string", model_of(
                [node("Constant", [], ["c"], value_string="a"), node("Relu", ["x"])], opset, {"x": [6]}, ["y"]),
                "UNSUPPORTED_OPERATOR", "value_string")
    for opset in versions("Shape"):
        # x.view(x.size(0), -1), as PyTorch exports it.
        computes(family, f"Shape/{opset}/view", model_of(
            [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"], axis=0),
             node("Unsqueeze", ["n", "axes"] if opset >= 13 else ["n"], ["u"], **({} if opset >= 13 else {"axes": [0]})),
             node("Concat", ["u", "rest"], ["t"], axis=0), node("Reshape", ["x", "t"])],
            opset, {"x": [2, 3]}, ["y"], [constant("zero", np.int64(0)), ints("rest", -1)] + ([ints("axes", 0)] if opset >= 13 else [])))
        computes(family, f"Shape/{opset}/of_row", model_of(
            [node("Shape", ["x"], ["s"]), node("Gather", ["s", "one"], ["c"], axis=0), node("Cast", ["c"], ["f"], to=FLOAT),
             node("Div", ["x", "f"])], opset, {"x": [5]}, ["y"], [constant("one", np.int64(1))]))
        if opset >= 15:
            for label, attribute in (("start", {"start": 1}), ("end", {"start": -2, "end": -1}), ("clamped", {"start": -9, "end": 9})):
                computes(family, f"Shape/{opset}/{label}", model_of(
                    [node("Shape", ["c"], ["s"], **attribute), node("Cast", ["s"], ["f"], to=FLOAT), node("Concat", ["f", "f"], ["g"], axis=0), node("Gather", ["g", "zero"], ["h"]), node("Mul", ["x", "h"])],
                    opset, {"x": [5]}, ["y"], [floats("c", [2, 3, 4], "c"), constant("zero", np.int64(0))]))
        refused(family, f"Shape/{opset}/batch_as_number", model_of(
            [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"], axis=0), node("Cast", ["n"], ["f"], to=FLOAT), node("Div", ["x", "f"])],
            opset, {"x": [5]}, ["y"], [constant("zero", np.int64(0))]), "UNSUPPORTED_OPERATOR", "size of the batch")
        computes(family, f"Shape/{opset}/fixed_batch_as_number", model_of(
            [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"], axis=0), node("Cast", ["n"], ["f"], to=FLOAT), node("Div", ["x", "f"])],
            opset, {"x": (1, 5)}, ["y"], [constant("zero", np.int64(0))]), fixed=True)
    for opset in versions("ConstantOfShape"):
        value = helper.make_tensor("v", FLOAT, [1], [0.5])
        computes(family, f"ConstantOfShape/{opset}/constant", model_of(
            [node("ConstantOfShape", ["s"], ["c"], value=value), node("Add", ["x", "c"])], opset, {"x": [2, 3]}, ["y"], [ints("s", 2, 3)]))
        # torch.zeros(x.size(0), 2) joined to x.
        computes(family, f"ConstantOfShape/{opset}/batch", model_of(
            [node("Shape", ["x"], ["s"]), node("Slice", ["s", "i0", "i1"], ["n"]) if opset >= 10 else node("Slice", ["s"], ["n"], starts=[0], ends=[1]),
             node("Concat", ["n", "two"], ["t"], axis=0), node("ConstantOfShape", ["t"], ["c"], value=value), node("Concat", ["x", "c"], axis=1)],
            opset, {"x": [3]}, ["y"], [ints("i0", 0), ints("i1", 1), ints("two", 2)]))
        # Where(Equal(ConstantOfShape * -1, shape), ones, shape): how PyTorch exports expand().
        minus = helper.make_tensor("v", TensorProto.INT64, [1], [1])
        computes(family, f"ConstantOfShape/{opset}/expand", model_of(
            [node("ConstantOfShape", ["three"], ["ones"], value=minus), node("Mul", ["ones", "m1"], ["neg"]), node("Equal", ["want", "neg"], ["e"]),
             node("Where", ["e", "ones", "want"], ["s"]), node("Expand", ["x", "s"])],
            opset, {"x": [1, 3]}, ["y"], [ints("three", 3), ints("m1", -1), ints("want", -1, 4, 3)]))
        # A learned token for every row: Expand(constant, [batch, 1, 3]).
        if opset >= 13:
            computes(family, f"ConstantOfShape/{opset}/token", model_of(
                [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"], axis=0), node("Unsqueeze", ["n", "axes"], ["u"]),
                 node("Concat", ["u", "rest"], ["t"], axis=0), node("Expand", ["c", "t"], ["k"]), node("Concat", ["k", "x"], axis=1)],
                opset, {"x": [2, 3]}, ["y"], [constant("zero", np.int64(0)), ints("axes", 0), ints("rest", 1, 3), floats("c", [1, 1, 3], "c")]))
    for opset in versions("Range"):
        computes(family, f"Range/{opset}/integers", model_of(
            [node("Range", ["a", "b", "d"], ["r"]), node("Gather", ["x", "r"], axis=1)], opset, {"x": [7]}, ["y"],
            [constant("a", np.int64(5)), constant("b", np.int64(-1)), constant("d", np.int64(-2))]))
        computes(family, f"Range/{opset}/floats", model_of(
            [node("Range", ["a", "b", "d"], ["r"]), node("Add", ["x", "r"])], opset, {"x": [4]}, ["y"],
            [constant("a", np.float32(1)), constant("b", np.float32(2.9)), constant("d", np.float32(0.5))]))
        refused(family, f"Range/{opset}/endless", model_of(
            [node("Range", ["a", "b", "d"], ["r"]), node("Add", ["x", "r"])], opset, {"x": [4]}, ["y"],
            [constant("a", np.float32(1)), constant("b", np.float32(2)), constant("d", np.float32(0))]), "INVALID_MODEL", "does not end")
        refused(family, f"Range/{opset}/huge", model_of(
            [node("Range", ["a", "b", "d"], ["r"]), node("Gather", ["x", "r"], axis=1)], opset, {"x": [4]}, ["y"],
            [constant("a", np.int64(0)), constant("b", np.int64(2**38)), constant("d", np.int64(1))]), "LIMIT", "numbers")
    for op in ("Equal", "Less", "Greater"):
        for opset in versions(op):
            for label, kind in (("integers", np.int64), ("floats", np.float32)):
                # The oldest Equal knows no floats.
                if op == "Equal" and kind == np.float32 and opset < 11:
                    continue
                computes(family, f"{op}/{opset}/{label}", model_of(
                    [node(op, ["a", "b"], ["e"]), node("Where", ["e", "p", "q"], ["w"]), node("Add", ["x", "w"])], opset, {"x": [3]}, ["y"],
                    [constant("a", np.array([1, 2, 3], kind)), constant("b", np.array([2], kind)), floats("p", [3], "p"), floats("q", [1], "q")]))
            refused(family, f"{op}/{opset}/computed", model_of(
                [node(op, ["x", "c"], ["e"]), node("Cast", ["e"], ["y"], to=FLOAT)], opset, {"x": [3]}, ["y"], [floats("c", [3], "c")]),
                "UNSUPPORTED_OPERATOR", "computed from the network's input")
    for op in ("And", "Or", "Not"):
        for opset in versions(op):
            operands = ["a", "b"] if op != "Not" else ["a"]
            computes(family, f"{op}/{opset}", model_of(
                [node(op, operands, ["e"]), node("Where", ["e", "p", "q"], ["w"]), node("Add", ["x", "w"])], opset, {"x": [4]}, ["y"],
                [constant("a", np.array([0, 0, 1, 1], np.bool_)), constant("b", np.array([0, 1, 0, 1], np.bool_)),
                 constant("p", np.float32(1)), constant("q", np.float32(2))]))
    for opset in versions("Where"):
        mask = constant("m", np.array([[True, False, True], [False, False, True]]))
        computes(family, f"Where/{opset}/mask", model_of(
            [node("Where", ["m", "x", "q"])], opset, {"x": [2, 3]}, ["y"], [mask, constant("q", np.float32(-1e9))]))
        computes(family, f"Where/{opset}/mask_other", model_of(
            [node("Where", ["m", "q", "x"])], opset, {"x": [2, 3]}, ["y"], [mask, constant("q", np.float32(7))]))
        computes(family, f"Where/{opset}/broadcast", model_of(
            [node("Where", ["m", "x", "q"])], opset, {"x": [1, 3]}, ["y"], [constant("m", np.array([[[True, False, True], [False, True, True]]])), constant("q", np.float32(7))]))
        refused(family, f"Where/{opset}/infinite", model_of(
            [node("Where", ["m", "x", "q"])], opset, {"x": [2, 3]}, ["y"], [mask, constant("q", np.float32(-np.inf))]), "UNSUPPORTED_OPERATOR", "not finite")
        refused(family, f"Where/{opset}/rows", model_of(
            [node("Where", ["m", "x", "q"])], opset, {"x": [3]}, ["y"], [mask, constant("q", np.float32(7))]), "UNSUPPORTED_OPERATOR", "mix rows")

    # Element types of weights, and every field they can lie in.
    weight = np.array([[1.5, -2.0], [0.25, 3.0], [-1.0, 0.5]], np.float32)
    for label, kind in (("float16", np.float16), ("double", np.float64), ("float", np.float32)):
        computes(family, f"weights/{label}_raw", model_of(
            [node("Cast", ["w"], ["v"], to=FLOAT), node("MatMul", ["x", "v"])], 13, {"x": [3]}, ["y"], [constant("w", weight.astype(kind))]))
        listed = helper.make_tensor("w", helper.np_dtype_to_tensor_dtype(np.dtype(kind)), weight.shape, weight.astype(kind).flatten())
        computes(family, f"weights/{label}_listed", model_of(
            [node("Cast", ["w"], ["v"], to=FLOAT), node("MatMul", ["x", "v"])], 13, {"x": [3]}, ["y"], [listed]))
    bfloat = helper.make_tensor("w", TensorProto.BFLOAT16, weight.shape, weight.flatten())
    computes(family, "weights/bfloat16", model_of(
        [node("Cast", ["w"], ["v"], to=FLOAT), node("MatMul", ["x", "v"])], 13, {"x": [3]}, ["y"], [bfloat]))
    small = np.array([6e-8, -5.96e-8, 6.1e-5, 65504.0], np.float16)
    computes(family, "weights/float16_denormals", model_of(
        [node("Cast", ["w"], ["v"], to=FLOAT), node("Mul", ["x", "v"])], 13, {"x": [4]}, ["y"], [constant("w", small)]), tolerance=1e-6)
    for label, kind in (("int8", np.int8), ("uint8", np.uint8), ("int16", np.int16), ("uint16", np.uint16), ("int32", np.int32),
                        ("uint32", np.uint32), ("int64", np.int64), ("uint64", np.uint64), ("bool", np.bool_)):
        values = np.array([0, 1, 1] if kind == np.bool_ else [0, 100, 7]).astype(kind)
        for where in ("raw", "listed"):
            tensor = constant("w", values) if where == "raw" else helper.make_tensor(
                "w", helper.np_dtype_to_tensor_dtype(np.dtype(kind)), values.shape, values)
            computes(family, f"weights/{label}_{where}", model_of(
                [node("Cast", ["w"], ["v"], to=FLOAT), node("Add", ["x", "v"])], 13, {"x": [3]}, ["y"], [tensor]))
    half = model_of([node("Gemm", ["x", "w", "b"], transB=1), ], 13, {"x": ([4], {"type": TensorProto.FLOAT16})}, ["y"],
                    [constant("w", rng("h").standard_normal((3, 4)).astype(np.float16)), constant("b", np.zeros(3, np.float16))],
                    output_type=TensorProto.FLOAT16)
    computes(family, "weights/whole_model_in_float16", half, tolerance=2e-3)
    refused(family, "weights/double_beyond_float", model_of(
        [node("Cast", ["w"], ["v"], to=FLOAT), node("Mul", ["x", "v"])], 13, {"x": [1]}, ["y"], [constant("w", np.array([1e300]))]),
        "INVALID_MODEL", "beyond the range of float")
    for label, value in (("nan", np.nan), ("infinity", np.inf), ("minus_infinity", -np.inf)):
        bad = weight.copy()
        bad[1, 1] = value
        refused(family, f"weights/{label}", model_of([node("MatMul", ["x", "w"])], 13, {"x": [3]}, ["y"], [constant("w", bad)]),
                "INVALID_MODEL", "'w'")
        refused(family, f"weights/{label}_added", model_of(
            [node("Add", ["x", "w"])], 13, {"x": [2]}, ["y"], [constant("w", np.array([1, value], np.float32))]), "INVALID_MODEL", "'w'")
    refused(family, "weights/text", model_of([node("Relu", ["x"])], 13, {"x": [3]}, ["y"],
                                             [helper.make_tensor("w", TensorProto.STRING, [1], [b"a"])]), "UNSUPPORTED_OPERATOR", "'w'")
