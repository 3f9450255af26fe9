"""Files of augur_search_data, for the scripts that fit networks to them, and the symmetries of the games."""

import pathlib
import typing

import numpy as np


class SearchData(typing.NamedTuple):
    """R decisions of searches over K actions, from states of F features."""

    state: np.ndarray  # [R, F]
    legal: np.ndarray  # [R, K]
    visits: np.ndarray  # [R, K], as shares
    values: np.ndarray  # [R]
    simulations: int  # of a search
    rewards: np.ndarray  # [R, K], of the ply that the action begins; 0 where it is not legal


def read(path, sharpness=1.0):
    """The decisions of a file, the visits raised to the power of sharpness first."""
    raw = pathlib.Path(path).read_bytes()
    if raw[:8] != b"AUGURSD2":
        raise SystemExit(f"{path}: not a file of augur_search_data")
    features, actions, simulations, _ = (int(n) for n in np.frombuffer(raw[8:24], "<u4"))
    record = np.dtype([("state", "<f4", (features,)), ("legal", "<u4"), ("visits", "<u4", (actions,)),
                       ("value", "<f4"), ("rewards", "<f4", (actions,))])
    records = np.frombuffer(raw[24:], record)
    legal = (records["legal"][:, None] >> np.arange(actions, dtype=np.uint32)) & 1 == 1
    visits = records["visits"].astype(np.float32) ** np.float32(sharpness)
    visits /= visits.sum(1, keepdims=True)
    return SearchData(np.array(records["state"]), legal, visits, np.array(records["value"]), simulations,
                      np.array(records["rewards"]))


def connect_four_images():
    """The board and its mirror image: where each feature and each action comes from, and a sign per feature."""
    features = np.arange(42).reshape(6, 7)
    ones = np.ones(42, np.float32)
    return [(features.ravel(), ones, np.arange(7)), (features[:, ::-1].ravel(), ones, np.arange(7)[::-1])]


def skirmish_images():
    """The eight images of the plane under quarter turns and reflection, as in connect_four_images."""
    images = []
    for mirrored in (False, True):
        for turns in range(4):
            source, sign = np.arange(93), np.ones(93, np.float32)
            for x in [10 * seat + 2 for seat in range(9)] + [91]:
                y = x + 1
                # Where the unit vectors of the source go: first y -> -y when mirrored, then quarter turns.
                place = np.array([[1, 0], [0, -1 if mirrored else 1]])
                for _ in range(turns):
                    place = np.array([[0, -1], [1, 0]]) @ place
                for row, index in ((0, x), (1, y)):
                    column = int(np.flatnonzero(place[row])[0])
                    source[index], sign[index] = (x, y)[column], place[row, column]
            actions = np.arange(13)
            for move in range(8):  # 45 degrees each, from +x on
                actions[((-move if mirrored else move) + 2 * turns) % 8] = move
            images.append((source, sign, actions))
    return images


IMAGES = {"connect_four": connect_four_images, "skirmish": skirmish_images}
