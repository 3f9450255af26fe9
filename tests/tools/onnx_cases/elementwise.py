"""Operators that work element by element."""

import numpy as np

from onnx_cases.common import computes, constant, floats, model_of, node, versions


def make():
    family = "elementwise"

    def unary(op, low=None, label="", opsets=None, **attributes):
        for opset in opsets or versions(op):
            computes(family, f"{op}{label}/{opset}", model_of([node(op, ["x"], **attributes)], opset, {"x": [3, 5]}, ["y"]),
                     low=low)

    for op in ("Abs", "Erf", "Exp", "Neg", "Relu", "Sigmoid", "Softplus", "Softsign", "Tanh", "Mish", "HardSwish"):
        unary(op)
    unary("Sqrt", low=0.0)
    unary("Reciprocal", low=0.5)
    unary("LeakyRelu")
    unary("LeakyRelu", label="_alpha", alpha=0.3)
    unary("Elu")
    unary("Elu", label="_alpha", alpha=0.4)
    unary("Selu")
    unary("Selu", label="_alpha_gamma", alpha=1.1, gamma=0.7)
    unary("Celu")
    unary("Celu", label="_alpha", alpha=2.5)
    unary("HardSigmoid")
    unary("HardSigmoid", label="_alpha_beta", alpha=0.4, beta=0.6)
    unary("Gelu")
    unary("Gelu", label="_tanh", approximate="tanh")
    unary("Swish")
    unary("Swish", label="_alpha", alpha=1.7)

    for op in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Sum", "Mean"):
        low = 0.5 if op == "Div" else None
        for opset in versions(op):
            name = f"{op}/{opset}"
            computes(family, name + "/two_inputs", model_of([node(op, ["a", "b"])], opset, {"a": [2, 3], "b": [2, 3]}, ["y"]), low=low)
            computes(family, name + "/broadcast_rows", model_of([node(op, ["a", "b"])], opset, {"a": [2, 1], "b": [1, 3]}, ["y"]), low=low)
            computes(family, name + "/constant_right", model_of(
                [node(op, ["a", "c"])], opset, {"a": [2, 3]}, ["y"], [constant("c", np.array([0.5, -2, 3], np.float32))]), low=low)
            computes(family, name + "/constant_left", model_of(
                [node(op, ["c", "a"])], opset, {"a": [2, 3]}, ["y"], [constant("c", np.array([[[0.5], [2]]], np.float32))]), low=low)
    for opset in versions("Add"):
        computes(family, f"Add/{opset}/scalar", model_of(
            [node("Add", ["a", "c"])], opset, {"a": [2, 3]}, ["y"], [constant("c", np.float32(1.5))]))
        computes(family, f"Add/{opset}/itself", model_of([node("Add", ["a", "a"])], opset, {"a": [4]}, ["y"]))
        computes(family, f"Add/{opset}/six_dimensions", model_of(
            [node("Add", ["a", "b"])], opset, {"a": [2, 1, 2, 1, 2, 3], "b": [1, 2, 1, 3, 1, 1]}, ["y"]))
    for op in ("Min", "Max", "Sum", "Mean"):
        for opset in versions(op):
            computes(family, f"{op}/{opset}/three", model_of(
                [node(op, ["a", "b", "c"])], opset, {"a": [3], "b": [3]}, ["y"], [floats("c", [3], op)]))
            computes(family, f"{op}/{opset}/one", model_of([node(op, ["a"])], opset, {"a": [3]}, ["y"]))

    for opset in versions("Pow"):
        computes(family, f"Pow/{opset}/square", model_of(
            [node("Pow", ["a", "c"])], opset, {"a": [6]}, ["y"], [constant("c", np.float32(2))]))
        computes(family, f"Pow/{opset}/cube", model_of(
            [node("Pow", ["a", "c"])], opset, {"a": [6]}, ["y"], [constant("c", np.float32(3))]))
        computes(family, f"Pow/{opset}/fraction", model_of(
            [node("Pow", ["a", "c"])], opset, {"a": [6]}, ["y"], [constant("c", np.float32(0.7))]), low=0.1)
        computes(family, f"Pow/{opset}/computed", model_of(
            [node("Pow", ["a", "b"])], opset, {"a": [6], "b": [6]}, ["y"]), low=0.1)
        computes(family, f"Pow/{opset}/of_constant", model_of(
            [node("Pow", ["c", "a"])], opset, {"a": [6]}, ["y"], [constant("c", np.float32(2))]))
        if opset >= 12:
            computes(family, f"Pow/{opset}/whole", model_of(
                [node("Pow", ["a", "c"])], opset, {"a": [6]}, ["y"], [constant("c", np.int64(2))]))

    for opset in versions("Clip"):
        if opset < 11:
            computes(family, f"Clip/{opset}", model_of([node("Clip", ["x"], min=-0.5, max=0.25)], opset, {"x": [8]}, ["y"]))
            computes(family, f"Clip/{opset}/low", model_of([node("Clip", ["x"], min=-0.5)], opset, {"x": [8]}, ["y"]))
            computes(family, f"Clip/{opset}/none", model_of([node("Clip", ["x"])], opset, {"x": [8]}, ["y"]))
            continue
        low, high = constant("low", np.float32(-0.5)), constant("high", np.float32(0.25))
        computes(family, f"Clip/{opset}", model_of([node("Clip", ["x", "low", "high"])], opset, {"x": [8]}, ["y"], [low, high]))
        computes(family, f"Clip/{opset}/low", model_of([node("Clip", ["x", "low"])], opset, {"x": [8]}, ["y"], [low]))
        computes(family, f"Clip/{opset}/high", model_of([node("Clip", ["x", "", "high"])], opset, {"x": [8]}, ["y"], [high]))
        computes(family, f"Clip/{opset}/none", model_of([node("Clip", ["x"])], opset, {"x": [8]}, ["y"]))
        # The text of 13 says which bound wins; ONNX Runtime follows it.
        if opset >= 13:
            computes(family, f"Clip/{opset}/crossed", model_of(
                [node("Clip", ["x", "high", "low"])], opset, {"x": [8]}, ["y"], [low, high]))
        computes(family, f"Clip/{opset}/infinite", model_of(
            [node("Clip", ["x", "zero", "inf"])], opset, {"x": [8]}, ["y"],
            [constant("zero", np.float32(0)), constant("inf", np.float32(np.inf))]))

    for opset in versions("PRelu"):
        for label, shape in (("scalar", [1]), ("channels", [3, 1, 1]), ("full", [3, 2, 2])):
            computes(family, f"PRelu/{opset}/{label}", model_of(
                [node("PRelu", ["x", "s"])], opset, {"x": [3, 2, 2]}, ["y"], [floats("s", shape, label)]))
