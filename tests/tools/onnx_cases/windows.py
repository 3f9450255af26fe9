"""Conv and the pools."""


from onnx_cases.common import FLOAT, computes, floats, model_of, node, refused, text_of_max_pool, versions


def make():
    family = "windows"
    for opset in versions("Conv"):
        def conv(label, image, weight, bias=True, **attributes):
            initial = [floats("w", weight, label, 0.4)] + ([floats("b", [weight[0]], label)] if bias else [])
            computes(family, f"Conv/{opset}/{label}", model_of(
                [node("Conv", ["x", "w"] + (["b"] if bias else []), **attributes)], opset, {"x": image}, ["y"], initial))

        conv("plain", [2, 5, 4], [3, 2, 3, 3])
        conv("no_bias", [2, 5, 4], [3, 2, 3, 3], bias=False)
        conv("pads", [2, 5, 4], [3, 2, 3, 3], pads=[1, 0, 2, 1])
        conv("strides", [2, 7, 6], [3, 2, 3, 2], strides=[2, 3])
        conv("dilations", [2, 7, 6], [3, 2, 3, 2], dilations=[2, 3], pads=[1, 1, 1, 1])
        conv("groups", [4, 4, 4], [6, 2, 3, 3], group=2, pads=[1, 1, 1, 1])
        conv("depthwise", [3, 4, 4], [3, 1, 3, 3], group=3, pads=[1, 1, 1, 1])
        conv("pointwise", [4, 3, 3], [2, 4, 1, 1])
        conv("kernel_shape", [2, 4, 4], [3, 2, 2, 2], kernel_shape=[2, 2])
        for mode in ("SAME_UPPER", "SAME_LOWER", "VALID"):
            conv(mode.lower(), [2, 5, 6], [3, 2, 2, 4], auto_pad=mode)
            conv(mode.lower() + "_strides", [2, 5, 6], [3, 2, 2, 3], auto_pad=mode, strides=[2, 2])
        conv("same_upper_dilations", [2, 7, 6], [3, 2, 2, 3], auto_pad="SAME_UPPER", dilations=[2, 2])
        conv("one_dimension", [2, 7], [3, 2, 3], pads=[1, 2], strides=[2])
        conv("one_dimension_same", [2, 7], [3, 2, 4], auto_pad="SAME_LOWER")
        w = floats("w", [3, 2, 3, 3], "w")
        refused(family, f"Conv/{opset}/computed_kernel", model_of(
            [node("Conv", ["x", "w"])], opset, {"x": [2, 5, 5], "w": [2, 3, 3]}, ["y"]), "UNSUPPORTED_OPERATOR", "kernel is computed")
        refused(family, f"Conv/{opset}/three_dimensions", model_of(
            [node("Conv", ["x", "w"])], opset, {"x": [2, 4, 4, 4]}, ["y"], [floats("w", [3, 2, 3, 3, 3], "w")]),
            "UNSUPPORTED_OPERATOR", "more than two dimensions")
        refused(family, f"Conv/{opset}/groups_do_not_divide", model_of(
            [node("Conv", ["x", "w"], group=2)], opset, {"x": [3, 5, 5]}, ["y"], [w]), "INVALID_MODEL", "groups")
        refused(family, f"Conv/{opset}/too_large", model_of(
            [node("Conv", ["x", "w"])], opset, {"x": [2, 2, 2]}, ["y"], [w]), "INVALID_MODEL", "does not fit")
        for label, attribute in (("strides_zero", {"strides": [0, 1]}), ("negative_pads", {"pads": [-1, 0, 0, 0]}),
                                 ("few_pads", {"pads": [1, 1]}), ("dilations_zero", {"dilations": [1, 0]}),
                                 ("group_zero", {"group": 0}), ("wrong_kernel_shape", {"kernel_shape": [2, 3]}),
                                 ("both_pads", {"pads": [1, 1, 1, 1], "auto_pad": "SAME_UPPER"}),
                                 ("auto_pad_unknown", {"auto_pad": "SOME"})):
            refused(family, f"Conv/{opset}/{label}", model_of(
                [node("Conv", ["x", "w"], **attribute)], opset, {"x": [2, 5, 5]}, ["y"], [w]), "INVALID_MODEL", "'conv'")

    for op in ("MaxPool", "AveragePool"):
        for opset in versions(op):
            def pool(label, image, text=None, **attributes):
                computes(family, f"{op}/{opset}/{label}", model_of([node(op, ["x"], **attributes)], opset, {"x": image}, ["y"]),
                         text=text if op == "MaxPool" else None)

            pool("plain", [2, 5, 4], kernel_shape=[2, 2])
            pool("strides", [2, 6, 7], kernel_shape=[3, 2], strides=[2, 3])
            pool("pads", [2, 5, 4], text_of_max_pool([3, 3], [1, 0, 2, 1], [1, 1]), kernel_shape=[3, 3], pads=[1, 0, 2, 1])
            pool("pads_strides", [2, 6, 5], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2])
            pool("one_dimension", [2, 7], kernel_shape=[3], strides=[2], pads=[1, 1])
            for mode in ("SAME_UPPER", "SAME_LOWER", "VALID"):
                text = text_of_max_pool([2, 4], [1, 1, 0, 1], [2, 2]) if mode == "SAME_LOWER" else None
                pool(mode.lower(), [2, 5, 6], text, kernel_shape=[2, 4], auto_pad=mode, strides=[2, 2])
            if op == "AveragePool":
                pool("count_pads", [2, 5, 4], kernel_shape=[3, 3], pads=[1, 0, 2, 1], count_include_pad=1)
                pool("count_pads_strides", [2, 6, 5], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2], count_include_pad=1)
            if opset >= 10:
                pool("ceil", [2, 6, 6], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
                pool("ceil_pads", [2, 6, 6], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1)
                if op == "AveragePool":
                    pool("ceil_count", [2, 6, 6], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1, count_include_pad=1)
            if opset >= (10 if op == "MaxPool" else 19):
                pool("dilations", [2, 7, 7], kernel_shape=[2, 3], dilations=[3, 2])
                pool("dilations_pads", [2, 7, 7], kernel_shape=[3, 3], dilations=[2, 2], pads=[1, 1, 1, 1], strides=[2, 1])
            if opset >= 22 or op == "MaxPool" and opset >= 12:
                # The last window would begin in the padding.
                pool("ceil_starts_on_pad", [1, 2, 2], kernel_shape=[2, 2], strides=[3, 3], pads=[1, 1, 1, 1], ceil_mode=1)
            refused(family, f"{op}/{opset}/no_kernel", model_of([node(op, ["x"])], opset, {"x": [2, 5, 5]}, ["y"]), "INVALID_MODEL", "kernel_shape")
            refused(family, f"{op}/{opset}/wholly_in_padding", model_of(
                [node(op, ["x"], kernel_shape=[2, 2], pads=[2, 0, 0, 0])], opset, {"x": [2, 5, 5]}, ["y"]), "UNSUPPORTED_OPERATOR", "padding")
            if op == "MaxPool":
                refused(family, f"{op}/{opset}/indices", model_of(
                    [node(op, ["x"], ["p", "i"], kernel_shape=[2, 2]), node("Cast", ["i"], ["y"], to=FLOAT)],
                    opset, {"x": [2, 5, 5]}, ["y"]), "UNSUPPORTED_OPERATOR", "indices")
                computes(family, f"{op}/{opset}/indices_unused", model_of(
                    [node(op, ["x"], ["y", "i"], kernel_shape=[2, 2])], opset, {"x": [2, 4, 4]}, ["y"]))
    for op in ("GlobalAveragePool", "GlobalMaxPool"):
        for opset in versions(op):
            computes(family, f"{op}/{opset}", model_of([node(op, ["x"])], opset, {"x": [3, 4, 2]}, ["y"]))
            computes(family, f"{op}/{opset}/one_dimension", model_of([node(op, ["x"])], opset, {"x": [3, 4]}, ["y"]),
                     text=(lambda feeds: [feeds["x"].max(axis=2, keepdims=True)]) if op == "GlobalMaxPool" else None)
