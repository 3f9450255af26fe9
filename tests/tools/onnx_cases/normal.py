"""Softmax, normalizations, reductions."""

import numpy as np

from onnx_cases.common import (
    computes,
    constant,
    floats,
    ints,
    model_of,
    node,
    refused,
    rng,
    text_of_batch_normalization,
    text_of_softmax,
    versions,
)


def make():
    family = "normal"
    for op in ("Softmax", "LogSoftmax"):
        for opset in versions(op):
            def text(axis, flat=opset < 13):
                return text_of_softmax(axis, op == "LogSoftmax") if flat else None

            computes(family, f"{op}/{opset}/default", model_of([node(op, ["x"])], opset, {"x": [3, 4]}, ["y"]), text=text(1))
            for axis in (1, 2, -1, -2) if opset >= 11 else (1, 2):
                computes(family, f"{op}/{opset}/axis_{axis}", model_of([node(op, ["x"], axis=axis)], opset, {"x": [3, 4]}, ["y"]), text=text(axis))
            # The evaluator's logarithm of what became 0 is infinite.
            computes(family, f"{op}/{opset}/large", model_of([node(op, ["x"], axis=1)], opset, {"x": [4]}, ["y"]), text=text(1, True),
                     inputs={"x": np.array([[1000, 999, 0, -1000], [-500, -500, -500, -501]], np.float32)})
            for axis in (0, -3) if opset >= 11 else (0,):
                refused(family, f"{op}/{opset}/axis_{axis}", model_of([node(op, ["x"], axis=axis)], opset, {"x": [3, 4]}, ["y"]),
                        "UNSUPPORTED_OPERATOR", "mix rows")
            refused(family, f"{op}/{opset}/axis_3", model_of([node(op, ["x"], axis=3)], opset, {"x": [3, 4]}, ["y"]),
                    "INVALID_MODEL", "axis 3")
    for opset in versions("BatchNormalization"):
        def parts(c):
            return [floats("s", [c], "s"), floats("b", [c], "b"), floats("m", [c], "m"),
                    constant("v", np.abs(rng("v").standard_normal(c)).astype(np.float32))]

        names = ["x", "s", "b", "m", "v"]
        # Of 9 the evaluator takes the statistics of the batch, even where there are no further outputs.
        trust = "runtime" if opset == 9 else None
        for label, image in (("image", [3, 2, 2]), ("vector", [3]), ("line", [3, 4])):
            computes(family, f"BatchNormalization/{opset}/{label}", model_of(
                [node("BatchNormalization", names)], opset, {"x": image}, ["y"], parts(3)), text=text_of_batch_normalization(parts(3)))
        computes(family, f"BatchNormalization/{opset}/epsilon", model_of(
            [node("BatchNormalization", names, epsilon=0.1, momentum=0.5)], opset, {"x": [3, 2, 2]}, ["y"], parts(3)),
            text=text_of_batch_normalization(parts(3), 0.1))
        computes(family, f"BatchNormalization/{opset}/after_conv", model_of(
            [node("Conv", ["i", "w"], ["x"]), node("BatchNormalization", names, ["n"]), node("Relu", ["n"])],
            opset, {"i": [2, 4, 4]}, ["y"], parts(3) + [floats("w", [3, 2, 3, 3], "w")]), trust=trust)
        computes(family, f"BatchNormalization/{opset}/after_gemm", model_of(
            [node("Gemm", ["i", "w", "c"], ["x"], transB=1), node("BatchNormalization", names)],
            opset, {"i": [5]}, ["y"], parts(3) + [floats("w", [3, 5], "w"), floats("c", [3], "c")]), trust=trust)
        bad = parts(3)
        bad[3] = constant("v", np.array([1, -0.5, 1], np.float32))
        refused(family, f"BatchNormalization/{opset}/negative_variance", model_of(
            [node("BatchNormalization", names)], opset, {"x": [3, 2, 2]}, ["y"], bad), "INVALID_MODEL", "variance is below 0")
        for epsilon in (0.0, -1e-5):
            refused(family, f"BatchNormalization/{opset}/epsilon_{epsilon}", model_of(
                [node("BatchNormalization", names, epsilon=epsilon)], opset, {"x": [3, 2, 2]}, ["y"], parts(3)), "INVALID_MODEL", "epsilon")
        refused(family, f"BatchNormalization/{opset}/channels", model_of(
            [node("BatchNormalization", names)], opset, {"x": [4, 2, 2]}, ["y"], parts(3)), "INVALID_MODEL", "4 channels")
        extra = ["y", "rm", "rv"] if opset >= 14 else ["y", "rm", "rv", "sm", "sv"]
        mode = {"training_mode": 1} if opset >= 14 else {}
        refused(family, f"BatchNormalization/{opset}/training", model_of(
            [node("BatchNormalization", names, extra, **mode)], opset, {"x": [3, 2, 2]}, ["y"], parts(3)), "UNSUPPORTED_OPERATOR", "training")
    for opset in versions("LayerNormalization"):
        for axis, shape in ((-1, [4]), (2, [4]), (1, [3, 4]), (-2, [3, 4])):
            computes(family, f"LayerNormalization/{opset}/axis_{axis}", model_of(
                [node("LayerNormalization", ["x", "s", "b"], axis=axis)], opset, {"x": [3, 4]}, ["y"],
                [floats("s", shape, "s"), floats("b", shape, "b")]))
        computes(family, f"LayerNormalization/{opset}/no_bias", model_of(
            [node("LayerNormalization", ["x", "s"], epsilon=0.01)], opset, {"x": [3, 4]}, ["y"], [floats("s", [4], "s")]))
        computes(family, f"LayerNormalization/{opset}/scale_of_one", model_of(
            [node("LayerNormalization", ["x", "s"], axis=1)], opset, {"x": [3, 4]}, ["y"], [floats("s", [1, 4], "s")]), trust=None)
        refused(family, f"LayerNormalization/{opset}/axis_0", model_of(
            [node("LayerNormalization", ["x", "s"], axis=0)], opset, {"x": [3, 4]}, ["y"], [floats("s", [4], "s")]),
            "UNSUPPORTED_OPERATOR", "mix rows")
        refused(family, f"LayerNormalization/{opset}/mean_used", model_of(
            [node("LayerNormalization", ["x", "s"], ["n", "y"])], opset, {"x": [3, 4]}, ["y"], [floats("s", [4], "s")]),
            "UNSUPPORTED_OPERATOR", "mean is used")
        refused(family, f"LayerNormalization/{opset}/epsilon", model_of(
            [node("LayerNormalization", ["x", "s"], epsilon=0.0)], opset, {"x": [3, 4]}, ["y"], [floats("s", [4], "s")]),
            "INVALID_MODEL", "epsilon")
    for opset in versions("RMSNormalization"):
        for axis, shape in ((-1, [4]), (1, [3, 4])):
            computes(family, f"RMSNormalization/{opset}/axis_{axis}", model_of(
                [node("RMSNormalization", ["x", "s"], axis=axis, epsilon=0.001)], opset, {"x": [3, 4]}, ["y"], [floats("s", shape, "s")]))
    for opset in versions("InstanceNormalization"):
        for label, image in (("image", [3, 2, 4]), ("line", [3, 5])):
            computes(family, f"InstanceNormalization/{opset}/{label}", model_of(
                [node("InstanceNormalization", ["x", "s", "b"], epsilon=0.01)], opset, {"x": image}, ["y"], [floats("s", [3], "s"), floats("b", [3], "b")]))
        refused(family, f"InstanceNormalization/{opset}/channels", model_of(
            [node("InstanceNormalization", ["x", "s", "b"])], opset, {"x": [4, 2, 2]}, ["y"], [floats("s", [3], "s"), floats("b", [3], "b")]),
            "INVALID_MODEL", "4 channels")
    for opset in versions("GroupNormalization"):
        weights = 2 if opset < 21 else 6
        for label, image in (("image", [6, 2, 4]), ("line", [6, 5])):
            computes(family, f"GroupNormalization/{opset}/{label}", model_of(
                [node("GroupNormalization", ["x", "s", "b"], num_groups=2, epsilon=0.01)], opset, {"x": image}, ["y"],
                [floats("s", [weights], "s"), floats("b", [weights], "b")]))
        refused(family, f"GroupNormalization/{opset}/groups", model_of(
            [node("GroupNormalization", ["x", "s", "b"], num_groups=4)], opset, {"x": [6, 2]}, ["y"], [floats("s", [4], "s"), floats("b", [4], "b")]),
            "INVALID_MODEL", "4 groups")
        refused(family, f"GroupNormalization/{opset}/weights", model_of(
            [node("GroupNormalization", ["x", "s", "b"], num_groups=2)], opset, {"x": [6, 2]}, ["y"], [floats("s", [8 - weights], "s"), floats("b", [8 - weights], "b")]),
            "INVALID_MODEL", "a weight of shape")
    for op, since in (("ReduceMean", 18), ("ReduceSum", 13)):
        for opset in versions(op):
            def reduce(label, axes, image=(3, 4, 2), **attributes):
                initial = []
                inputs = ["x"]
                if opset >= since:
                    initial.append(ints("axes", *axes))
                    inputs.append("axes")
                else:
                    attributes["axes"] = axes
                return family, f"{op}/{opset}/{label}", model_of([node(op, inputs, **attributes)], opset, {"x": list(image)}, ["y"], initial)

            computes(*reduce("last", [3]))
            computes(*reduce("first", [1]))
            computes(*reduce("middle_gone", [2], keepdims=0))
            computes(*reduce("two", [2, 3], keepdims=0))
            computes(*reduce("apart", [1, 3]))
            computes(*reduce("apart_gone", [3, 1], keepdims=0))
            computes(*reduce("all_of_row", [1, 2, 3], keepdims=0))
            computes(*reduce("over_ones", [1, 3], image=(3, 1, 2)))
            if opset >= 11:
                computes(*reduce("negative", [-1, -2]))
            refused(*reduce("batch", [0, 1]), "UNSUPPORTED_OPERATOR", "mix rows")
            refused(*reduce("axis_too_large", [4]), "INVALID_MODEL", "axis 4")
            plain = model_of([node(op, ["x"])], opset, {"x": [3]}, ["y"])
            refused(family, f"{op}/{opset}/everything", plain, "UNSUPPORTED_OPERATOR", "mix rows")
            if opset >= since:
                computes(family, f"{op}/{opset}/noop", model_of(
                    [node(op, ["x"], noop_with_empty_axes=1)], opset, {"x": [3]}, ["y"]))
