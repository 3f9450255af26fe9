"""Operators that call numbers by another shape or type."""

import numpy as np
from onnx import TensorProto

from onnx_cases.common import FLOAT, computes, constant, ints, model_of, node, refused, versions


def make():
    family = "shapes"
    for opset in versions("Reshape"):
        def reshape(label, image, shape, fixed=False, **attributes):
            image = (1, *image) if fixed else list(image)
            return (family, f"Reshape/{opset}/{label}", model_of(
                [node("Reshape", ["x", "s"], **attributes)], opset, {"x": image}, ["y"], [ints("s", *shape)]))

        computes(*reshape("zero_and_rest", [3, 4], [0, -1]))
        computes(*reshape("zero_kept", [3, 4], [0, 0, 2, 2]))
        computes(*reshape("batch_open", [3, 4], [-1, 12]))
        computes(*reshape("batch_open_split", [12], [-1, 3, 4]))
        computes(*reshape("rest_in_middle", [3, 4], [0, 2, -1, 2]))
        computes(*reshape("fixed_batch", [3, 4], [1, 12], fixed=True), fixed=True)
        refused(*reshape("folds_batch", [3, 4], [-1, 4]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*reshape("no_batch", [3, 4], [-1]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*reshape("constant_batch", [3, 4], [2, 12]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*reshape("does_not_divide", [3, 4], [0, 5, -1]), "INVALID_MODEL", "divide")
        refused(*reshape("twice", [3, 4], [0, -1, -1]), "INVALID_MODEL", "-1 twice")
        refused(*reshape("batch_and_rest_open", [3, 4], [-1, -1]), "INVALID_MODEL", "-1 twice")
        refused(*reshape("negative", [3, 4], [0, -2]), "INVALID_MODEL", "-2")
        refused(*reshape("zero_beyond", [3, 4], [0, 3, 4, 0]), "INVALID_MODEL", "is 0")
        refused(*reshape("overflow", [3, 4], [0, 2**40, 2**40]), "INVALID_MODEL", "larger")
        if opset >= 14:
            computes(*reshape("allow_zero", [3, 4], [-1, 4, 3], allowzero=1))
            refused(*reshape("allow_zero_inside", [3, 4], [-1, 3, 0], allowzero=1), "INVALID_MODEL", "no elements")
            refused(*reshape("allow_zero_zero", [3, 4], [0, 12], allowzero=1), "UNSUPPORTED_OPERATOR", "mix rows")
    for opset in versions("Flatten"):
        def flatten(label, **attributes):
            return family, f"Flatten/{opset}/{label}", model_of([node("Flatten", ["x"], **attributes)], opset, {"x": [1, 3, 4]}, ["y"])

        computes(*flatten("default"))
        computes(*flatten("axis_2", axis=2))
        if opset >= 11:
            computes(*flatten("axis_-3", axis=-3))
        refused(*flatten("axis_0", axis=0), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*flatten("axis_3", axis=3), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*flatten("axis_5", axis=5), "INVALID_MODEL", "axis 5")
        computes(family, f"Flatten/{opset}/axis_rank", model_of([node("Flatten", ["x"], axis=2)], opset, {"x": [1]}, ["y"]))
    for op in ("Squeeze", "Unsqueeze"):
        for opset in versions(op):
            def squeeze(label, image, axes, fixed=False):
                image = (1, *image) if fixed else image
                if opset >= 13:
                    return family, f"{op}/{opset}/{label}", model_of([node(op, ["x", "a"])], opset, {"x": image}, ["y"], [ints("a", *axes)])
                return family, f"{op}/{opset}/{label}", model_of([node(op, ["x"], axes=axes)], opset, {"x": image}, ["y"])

            if op == "Squeeze":
                computes(*squeeze("one", [3, 1], [2]))
                computes(*squeeze("two", [1, 3, 1], [3, 1]))
                if opset >= 11:
                    computes(*squeeze("negative", [3, 1], [-1]))
                computes(family, f"{op}/{opset}/all", model_of([node(op, ["x"])], opset, {"x": [1, 3, 1]}, ["y"]))
                refused(*squeeze("batch", [3], [0]), "UNSUPPORTED_OPERATOR", "mix rows")
                refused(*squeeze("fixed_batch", [3], [0], fixed=True), "UNSUPPORTED_OPERATOR", "mix rows")
                refused(*squeeze("not_one", [3, 2], [2]), "INVALID_MODEL", "squeezes")
            else:
                computes(*squeeze("one", [3], [1]))
                computes(*squeeze("two", [3], [3, 1]))
                if opset >= 11:
                    computes(*squeeze("negative", [3], [-1]))
                refused(*squeeze("batch", [3], [0]), "UNSUPPORTED_OPERATOR", "mix rows")
            refused(*squeeze("twice", [1, 3], [1, 1]), "INVALID_MODEL", "twice")
            refused(*squeeze("beyond", [1, 3], [9]), "INVALID_MODEL", "axis 9")
    for opset in versions("Identity"):
        computes(family, f"Identity/{opset}", model_of([node("Identity", ["x"])], opset, {"x": [3]}, ["y"]))
        computes(family, f"Identity/{opset}/outputs_alike", model_of(
            [node("Relu", ["x"], ["r"]), node("Identity", ["r"], ["y"]), node("Identity", ["r"], ["z"])], opset, {"x": [3]}, ["y", "z", "r"]))
    for opset in versions("Dropout"):
        if opset < 12:
            computes(family, f"Dropout/{opset}", model_of([node("Dropout", ["x"], ratio=0.4)], opset, {"x": [3]}, ["y"]))
        else:
            ratio = constant("r", np.float32(0.4))
            computes(family, f"Dropout/{opset}", model_of([node("Dropout", ["x"])], opset, {"x": [3]}, ["y"]))
            computes(family, f"Dropout/{opset}/inference", model_of(
                [node("Dropout", ["x", "r", "t"], seed=3)], opset, {"x": [3]}, ["y"], [ratio, constant("t", np.bool_(False))]))
            refused(family, f"Dropout/{opset}/training", model_of(
                [node("Dropout", ["x", "r", "t"])], opset, {"x": [3]}, ["y"], [ratio, constant("t", np.bool_(True))]),
                "UNSUPPORTED_OPERATOR", "training")
        computes(family, f"Dropout/{opset}/mask_unused", model_of([node("Dropout", ["x"], ["y", "m"])], opset, {"x": [3]}, ["y"]))
        refused(family, f"Dropout/{opset}/mask_used", model_of(
            [node("Dropout", ["x"], ["d", "m"]), node("Cast", ["m"], ["y"], to=FLOAT)], opset, {"x": [3]}, ["y"]),
            "UNSUPPORTED_OPERATOR", "mask is used")
    for opset in versions("Cast"):
        for to, label in ((TensorProto.FLOAT16, "half"), (TensorProto.DOUBLE, "double")):
            computes(family, f"Cast/{opset}/{label}_and_back", model_of(
                [node("Cast", ["x"], ["h"], to=to), node("Cast", ["h"], to=FLOAT)], opset, {"x": [3]}, ["y"]), tolerance=1e-3)
        computes(family, f"Cast/{opset}/constants", model_of(
            [node("Cast", ["i"], ["f"], to=FLOAT), node("Cast", ["g"], ["h"], to=TensorProto.INT64), node("Cast", ["h"], ["k"], to=FLOAT),
             node("Add", ["x", "f"], ["s"]), node("Add", ["s", "k"])], opset, {"x": [3]}, ["y"],
            [ints("i", 1, -2, 3), constant("g", np.array([1.7, -1.7, 0.2], np.float32))]))
        refused(family, f"Cast/{opset}/to_integers", model_of(
            [node("Cast", ["x"], ["i"], to=TensorProto.INT64), node("Cast", ["i"], ["y"], to=FLOAT)], opset, {"x": [3]}, ["y"]),
            "UNSUPPORTED_OPERATOR", "int64")
        refused(family, f"Cast/{opset}/to_nothing", model_of([node("Cast", ["x"])], opset, {"x": [3]}, ["y"]), "INVALID_MODEL", "'to'")
    for opset in versions("CastLike"):
        computes(family, f"CastLike/{opset}", model_of(
            [node("CastLike", ["i", "x"], ["f"]), node("Add", ["x", "f"])], opset, {"x": [3]}, ["y"], [ints("i", 1, -2, 3)]))
