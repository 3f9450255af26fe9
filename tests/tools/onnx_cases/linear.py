"""Gemm and MatMul."""

import numpy as np

from onnx_cases.common import computes, constant, floats, model_of, node, refused, rng, versions


def make():
    family = "linear"
    for opset in versions("Gemm"):
        b, bt = floats("b", [4, 3], "gemm"), floats("b", [3, 4], "gemm")
        for label, shape in (("vector", [3]), ("row", [1, 3]), ("scalar", []), ("one", [1]), ("one_one", [1, 1])):
            computes(family, f"Gemm/{opset}/{label}", model_of(
                [node("Gemm", ["a", "b", "c"])], opset, {"a": [4]}, ["y"], [b, floats("c", shape, label)]))
        computes(family, f"Gemm/{opset}/trans_b", model_of(
            [node("Gemm", ["a", "b", "c"], transB=1)], opset, {"a": [4]}, ["y"], [bt, floats("c", [3], "t")]))
        computes(family, f"Gemm/{opset}/alpha_beta", model_of(
            [node("Gemm", ["a", "b", "c"], alpha=0.5, beta=-2.0, transB=1)], opset, {"a": [4]}, ["y"], [bt, floats("c", [3], "t")]))
        computes(family, f"Gemm/{opset}/beta_zero", model_of(
            [node("Gemm", ["a", "b", "c"], beta=0.0)], opset, {"a": [4]}, ["y"], [b, floats("c", [3], "t")]))
        computes(family, f"Gemm/{opset}/computed_c", model_of(
            [node("Gemm", ["a", "b", "c"], beta=0.5)], opset, {"a": [4], "c": [3]}, ["y"], [b]))
        if opset >= 11:
            computes(family, f"Gemm/{opset}/no_c", model_of([node("Gemm", ["a", "b"])], opset, {"a": [4]}, ["y"], [b]))
        computes(family, f"Gemm/{opset}/constants", model_of(
            [node("Gemm", ["p", "q", "c"], ["w"], transA=1, alpha=2.0), node("MatMul", ["a", "w"])],
            opset, {"a": [4]}, ["y"], [floats("p", [2, 4], "p"), floats("q", [2, 3], "q"), floats("c", [4, 1], "c")]))
        refused(family, f"Gemm/{opset}/trans_a", model_of(
            [node("Gemm", ["a", "b", "c"], transA=1)], opset, {"a": [4]}, ["y"], [b, floats("c", [3], "t")]),
            "UNSUPPORTED_OPERATOR", "mix rows")
        refused(family, f"Gemm/{opset}/two_batches", model_of(
            [node("Gemm", ["a", "x", "c"], transB=1)], opset, {"a": [4], "x": [4]}, ["y"], [floats("c", [1], "t")]),
            "UNSUPPORTED_OPERATOR", "mix rows")
    for opset in versions("MatMul"):
        def matmul(label, a, b, **kw):
            ports = {k: v for k, v in (("a", a), ("b", b)) if isinstance(v, list)}
            initial = [constant(k, v) for k, v in (("a", a), ("b", b)) if not isinstance(v, list)]
            return family, f"MatMul/{opset}/{label}", model_of([node("MatMul", ["a", "b"])], opset, ports, ["y"], initial), *kw.values()

        def w(*shape):
            return rng(str(shape)).standard_normal(shape).astype(np.float32)

        computes(*matmul("rows", [4], w(4, 3)))
        computes(*matmul("matrices", [5, 4], w(4, 3)))
        computes(*matmul("four_dimensions", [2, 5, 4], w(4, 3)))
        computes(*matmul("ones_in_front", [5, 4], w(1, 4, 3)))
        computes(*matmul("constant_groups", [2, 5, 4], w(2, 4, 3)))
        computes(*matmul("constant_groups_ones", [2, 5, 4], w(1, 2, 4, 3)))
        computes(*matmul("to_vector", [4], w(4)))
        computes(*matmul("matrices_to_vector", [5, 4], w(4)))
        computes(*matmul("constant_left", w(3, 4), [4, 2]))
        computes(*matmul("vector_left", w(4), [4, 2]))
        computes(*matmul("constant_left_groups", w(3, 4), [2, 4, 2]))
        computes(*matmul("computed", [3, 4], [4, 2]))
        computes(*matmul("computed_groups", [2, 3, 4], [2, 4, 2]))
        computes(*matmul("computed_shared", [2, 3, 4], [1, 4, 2]))
        computes(*matmul("computed_crossed", [2, 1, 3, 4], [1, 3, 4, 2]))
        refused(*matmul("over_batch", [4], [4]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*matmul("batch_meets_groups", [3, 4], [2, 4, 2]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*matmul("left_of_batch", w(3, 4), [2]), "UNSUPPORTED_OPERATOR", "mix rows")
        refused(*matmul("wrong_size", [5], w(4, 3)), "INVALID_MODEL", "multiplies")
