"""Operators that move numbers."""

import numpy as np
from onnx import TensorProto

from onnx_cases.common import computes, constant, floats, ints, model_of, node, refused, versions


def make():
    family = "moves"
    for opset in versions("Transpose"):
        for label, perm in (("swap", [0, 2, 1, 3]), ("last_first", [0, 3, 1, 2]), ("same", [0, 1, 2, 3]), ("all", [0, 3, 2, 1])):
            computes(family, f"Transpose/{opset}/{label}", model_of([node("Transpose", ["x"], perm=perm)], opset, {"x": [2, 3, 4]}, ["y"]))
        computes(family, f"Transpose/{opset}/constant", model_of(
            [node("Transpose", ["c"], ["t"]), node("MatMul", ["x", "t"])], opset, {"x": [4]}, ["y"], [floats("c", [3, 4], "c")]))
        refused(family, f"Transpose/{opset}/batch", model_of([node("Transpose", ["x"], perm=[1, 0])], opset, {"x": [3]}, ["y"]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(family, f"Transpose/{opset}/default", model_of([node("Transpose", ["x"])], opset, {"x": [3]}, ["y"]), "UNSUPPORTED_OPERATOR", "mix rows")
        for label, perm in (("twice", [0, 1, 1]), ("short", [0, 1]), ("beyond", [0, 1, 3]), ("negative", [0, 1, -1])):
            refused(family, f"Transpose/{opset}/{label}", model_of([node("Transpose", ["x"], perm=perm)], opset, {"x": [3, 2]}, ["y"]), "INVALID_MODEL", "perm")
    for opset in versions("Concat"):
        def concat(label, axis, *shapes, initial=()):
            names = [f"i{k}" for k in range(len(shapes))]
            return family, f"Concat/{opset}/{label}", model_of(
                [node("Concat", names, axis=axis)], opset, {n: s for n, s in zip(names, shapes) if isinstance(s, list)}, ["y"],
                [constant(n, s) for n, s in zip(names, shapes) if not isinstance(s, list)])

        computes(*concat("first", 1, [2, 3], [1, 3], [4, 3]))
        computes(*concat("last", 2, [3, 2], [3, 1], [3, 3]))
        computes(*concat("middle", 2, [2, 1, 3], [2, 2, 3]))
        computes(*concat("one", 1, [3]))
        if opset >= 11:
            computes(*concat("negative", -1, [3, 2], [3, 1]))
        computes(family, f"Concat/{opset}/itself", model_of([node("Concat", ["x", "x"], axis=1)], opset, {"x": [3]}, ["y"]))
        computes(family, f"Concat/{opset}/fixed_batch_constant", model_of(
            [node("Concat", ["x", "c"], axis=1)], opset, {"x": (1, 3)}, ["y"], [floats("c", [1, 2], "c")]), fixed=True)
        refused(*concat("batch", 0, [3], [3]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*concat("constant", 1, [3], np.ones((1, 2), np.float32)), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*concat("different", 1, [2, 3], [2, 4]), "INVALID_MODEL", "joins")
        refused(*concat("ranks", 1, [2, 3], [2]), "INVALID_MODEL", "same number of dimensions")
        refused(*concat("beyond", 3, [2, 3], [2, 3]), "INVALID_MODEL", "axis 3")
    for opset in versions("Slice"):
        def slice_(label, image, starts, ends, axes=None, steps=None):
            if opset < 10:
                more = {"axes": axes} if axes else {}
                return family, f"Slice/{opset}/{label}", model_of(
                    [node("Slice", ["x"], starts=starts, ends=ends, **more)], opset, {"x": image}, ["y"])
            initial = [ints("s", *starts), ints("e", *ends)]
            names = ["x", "s", "e"]
            if axes or steps:
                names.append("a" if axes else "")
                if axes:
                    initial.append(ints("a", *axes))
            if steps:
                names.append("t")
                initial.append(ints("t", *steps))
            return family, f"Slice/{opset}/{label}", model_of([node("Slice", names)], opset, {"x": image}, ["y"], initial)

        computes(*slice_("one", [5, 4], [1], [3], [1]))
        computes(*slice_("two", [5, 4], [1, 2], [4, 3], [1, 2]))
        computes(*slice_("negative_ends", [5, 4], [-3, 0], [-1, -2], [1, 2]))
        computes(*slice_("beyond", [5, 4], [2], [1000], [1]))
        computes(*slice_("to_int64_max", [5, 4], [2], [2**63 - 1], [2]))
        computes(*slice_("whole_batch", [5, 4], [0, 1], [2**31 - 1, 4], [0, 1]))
        computes(*slice_("axes_default", [5, 4], [0, 1, 2], [2**31 - 1, 4, 3]))
        if opset >= 10:
            computes(*slice_("steps", [7, 4], [0, 3], [7, -5], [1, 2], [2, -1]))
            computes(*slice_("reversed", [5], [-1], [-(2**63)], [1], [-1]))
            computes(*slice_("long_step", [5], [1], [5], [1], [2**62]))
            refused(*slice_("step_zero", [5], [0], [5], [1], [0]), "INVALID_MODEL", "step is 0")
        if opset >= 11:
            computes(*slice_("negative_axis", [5, 4], [1], [3], [-1]))
        refused(*slice_("rows", [5], [0], [1], [0]), "UNSUPPORTED_OPERATOR", "some of the rows")
        refused(*slice_("axis_beyond", [5], [0], [1], [2]), "INVALID_MODEL", "axis 2")
        refused(*slice_("empty", [5], [3], [3], [1]), "UNSUPPORTED_OPERATOR", "no elements")
    for opset in versions("Split"):
        def split(label, image, axis, sizes, outputs, **attributes):
            names = [f"y{k}" for k in range(outputs)]
            initial = []
            inputs = ["x"]
            if sizes and opset >= 13:
                initial = [ints("s", *sizes)]
                inputs.append("s")
            elif sizes:
                attributes["split"] = sizes
            elif opset >= 18:
                attributes["num_outputs"] = outputs
            return family, f"Split/{opset}/{label}", model_of([node("Split", inputs, names, axis=axis, **attributes)], opset, {"x": image}, names, initial)

        computes(*split("equal", [6, 2], 1, None, 3))
        computes(*split("sizes", [6, 2], 1, [1, 3, 2], 3))
        computes(*split("last", [2, 4], 2, [3, 1], 2))
        if opset >= 18:
            computes(*split("uneven", [7], 1, None, 3))
        else:
            refused(*split("uneven", [7], 1, None, 3), "INVALID_MODEL", "not equal")
        refused(*split("batch", [6], 0, None, 2), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*split("sum", [6], 1, [2, 3], 2), "INVALID_MODEL", "add up")
    for opset in versions("Gather"):
        def gather(label, image, axis, indices):
            return family, f"Gather/{opset}/{label}", model_of(
                [node("Gather", ["x", "i"], axis=axis)], opset, {"x": image}, ["y"], [constant("i", np.array(indices, np.int64))])

        computes(*gather("scalar", [5, 3], 1, 2))
        computes(*gather("list", [5, 3], 1, [4, 0, 4]))
        computes(*gather("matrix", [5, 3], 2, [[0, 2], [1, 1]]))
        if opset >= 11:
            computes(*gather("negative_index", [5, 3], 1, [-1, -5]))
            computes(*gather("negative_axis", [5, 3], -1, [2]))
        refused(*gather("rows", [5], 0, [0]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*gather("beyond", [5], 1, [5]), "INVALID_MODEL", "index 5")
        refused(family, f"Gather/{opset}/computed", model_of(
            [node("Cast", ["x"], ["i"], to=TensorProto.INT64), node("Gather", ["c", "i"])], opset, {"x": [5]}, ["y"], [floats("c", [3, 2], "c")]),
            "UNSUPPORTED_OPERATOR", "int64")
    for opset in versions("Pad"):
        def pad(label, image, pads, value=None, axes=None, **attributes):
            if opset < 11:
                more = {"value": value} if value is not None else {}
                return family, f"Pad/{opset}/{label}", model_of([node("Pad", ["x"], pads=pads, **more, **attributes)], opset, {"x": image}, ["y"])
            initial = [ints("p", *pads)]
            names = ["x", "p"]
            if value is not None or axes:
                names.append("v" if value is not None else "")
                if value is not None:
                    initial.append(constant("v", np.float32(value)))
            if axes:
                names.append("a")
                initial.append(ints("a", *axes))
            return family, f"Pad/{opset}/{label}", model_of([node("Pad", names, **attributes)], opset, {"x": image}, ["y"], initial)

        computes(*pad("zeros", [3, 2], [0, 1, 0, 0, 0, 2]))
        computes(*pad("value", [3, 2], [0, 1, 0, 0, 0, 2], value=1.5))
        computes(*pad("cuts", [4, 3], [0, -1, 1, 0, 0, -1]))
        computes(*pad("reflect", [4, 3], [0, 2, 1, 0, 1, 2], mode="reflect"))
        computes(*pad("edge", [4, 3], [0, 2, 1, 0, 1, 3], mode="edge"))
        if opset >= 18:
            computes(*pad("axes", [4, 3], [1, 2, 0, 1], axes=[2, 1]))
            computes(*pad("negative_axes", [4, 3], [1, 2], axes=[-1]))
        if opset >= 19:
            computes(*pad("wrap", [4, 3], [0, 2, 1, 0, 1, 3], mode="wrap"))
        refused(*pad("batch", [3], [1, 0, 0, 0]), "UNSUPPORTED_OPERATOR", "pads the batch")
        refused(*pad("too_few", [3], [0, 0]), "INVALID_MODEL", "pads")
        refused(*pad("nothing_left", [3], [0, -2, 0, -1]), "INVALID_MODEL", "pads")
        refused(*pad("mode_unknown", [3], [0, 1, 0, 1], mode="other"), "UNSUPPORTED_OPERATOR", "mode")
    for opset in versions("Expand"):
        def expand(label, image, shape):
            return family, f"Expand/{opset}/{label}", model_of([node("Expand", ["x", "s"])], opset, {"x": image}, ["y"], [ints("s", *shape)])

        computes(*expand("rows", [1, 3], [1, 2, 3]))
        computes(*expand("short", [2, 1], [4]))
        computes(*expand("smaller", [2, 3], [1, 1]))
        refused(*expand("batch", [3], [2, 3]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*expand("longer", [3], [1, 1, 3]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*expand("wrong", [3], [2]), "INVALID_MODEL", "broadcast")
    for opset in versions("Tile"):
        computes(family, f"Tile/{opset}", model_of([node("Tile", ["x", "r"])], opset, {"x": [2, 3]}, ["y"], [ints("r", 1, 2, 3)]))
        refused(family, f"Tile/{opset}/batch", model_of([node("Tile", ["x", "r"])], opset, {"x": [2]}, ["y"], [ints("r", 2, 1)]), "UNSUPPORTED_OPERATOR", "mix rows")
