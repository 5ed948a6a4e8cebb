"""Kernels that grow symmetric trees: one question for all nodes of a level.

The question of a level is the cut that gains most, summed over its open nodes. A node to which it
means nothing, because too few rows would lie on one side or the cut gains nothing there, stays
whole and is asked again on the next level. Finding a question takes the rows of all nodes together,
so a pair of features that matter only jointly is seen with fewer rows than a node by itself would
need, and a question that suits noise in one node is outvoted by the others.

Sums by bin, the division of rows, and threads are those of the one engine (see ``grow``). Where
rows are few, sums are not kept from level to level but made afresh for one feature and node at a
time: then they stay in a core's cache, however many features there are. They are exact, hence the
same.
"""

from __future__ import annotations

from ..types import Array
from .by_reference import by_reference
from .columns import allow_by_path, draw_columns
from .grow import FULL, divide, measure_leaves, plant, release, seek
from .histograms import add_codes
from .jit import dividing_kernel, inner_kernel, kernel
from .parallel import UNTIL_DISMISSED, work_together, worker_loop
from .shares import (
    KIND,
    MAX_DEPTH,
    MAX_FEATURES,
    MIN_GAIN,
    N_NODES,
    N_WAITING,
    NO_FEATURE,
    SEEK_LARGE,
    SEEK_SMALL,
    SMALL,
    Job,
    do_share,
    least_weight,
    node_rules,
    sum_kept,
    turn_values,
)
from .splits import first_best, is_free, is_heavier, score, score_two
from .stumps import CATEGORY
from .ties import TIE, resolution

SUM, ASK = 4, 5
"""Kinds of tasks, besides those of ``shares``: sums of two new nodes; questions for a level."""
TABLE = 7
"""Rows of the table of a feature's cuts: gain with missing values on the right, with them on the
left, and the weight of what is present on the left; then room for the left sides of a node, and for
its sums by bin."""
KEPT_ROWS = 16
"""Rows for each bin from which on sums by bin are kept."""


@inner_kernel
def do_level_share(job: Job, share: int) -> None:
    """Do a share of the task at hand."""
    kind = job.order[KIND]
    if kind == SUM:
        sum_kept(job, share)
    elif kind == ASK:
        ask_tile(job, share)
    else:
        do_share(job, share)


@inner_kernel
def do_level_task(job: Job, kind: int) -> None:
    """Do a task for all tiles of features, with whoever helps."""
    job.order[KIND] = kind
    work_together(do_level_share, job, job.tiles.size - 1)


@kernel
def help_grow_symmetric(job: Job) -> None:
    """Take shares until the tree is grown."""
    worker_loop(do_level_share, by_reference(job), UNTIL_DISMISSED)


# -- what a question gains -------------------------------------------------------------------------


@inner_kernel
def side_gain(
    job: Job, k: int, rules: tuple[int, float, float, float, int], signed: float, weight: float
) -> float:
    """What a node gains by sending so much to the left; 0 where it is better left whole."""
    total, node = job.sums[k], job.nodes[k]
    rest, whole = total[1] - weight, node["score"]
    if weight < node["floor"] or rest < node["floor"]:
        return 0.0
    gain = score_two(signed, weight, total[0] - signed, rest, rules) - whole
    return gain if gain > max(job.limits[MIN_GAIN], resolution(whole)) else 0.0


@dividing_kernel
def add_plain_gains(
    cells: Array, total: Array, limits: tuple[float, float, float, float], table: Array
) -> None:
    """Add what a node gains by every cut of a numeric feature without missing values.

    ``limits`` are the node's score, the least weight of a side, the least gain, and l2. This is
    where symmetric trees spend their time: sums first, one after the other, then gains side by side
    in vector lanes, as :func:`side_gain` has them to the last bit.
    """
    n_cuts, (whole, floor, least, l2) = cells.shape[0] - 2, limits
    gains, weights, signed, weight = table[0], table[2], 0.0, 0.0
    on_left, left = table[3], table[4]
    for cut in range(n_cuts):
        signed += cells[cut, 0]
        weight += cells[cut, 1]
        on_left[cut], left[cut] = signed, weight
    all_signed, all_weight = total[0], total[1]
    for cut in range(n_cuts):
        signed, weight = on_left[cut], left[cut]
        other, rest = all_signed - signed, all_weight - weight
        gain = signed * signed / (weight + l2) + other * other / (rest + l2) - whole
        enough = (weight >= floor) & (rest >= floor) & (gain > least)
        gains[cut] += gain if enough else 0.0
        weights[cut] += weight


@inner_kernel
def cut_table(job: Job, tile: int, j: int) -> Array:
    """Room for the table of a feature's cuts."""
    n_cuts = job.features[j, 1] + 1
    return job.cells[tile, : TABLE * n_cuts].reshape((TABLE, n_cuts))


@inner_kernel
def sums_by_bin(job: Job, k: int, j: int, table: Array) -> Array:
    """Sums of a node's rows by one feature's bins: those that are kept, or else made in a table."""
    if job.histograms.shape[0] > 0:
        begin = job.features[j, 2]
        return job.histograms[job.nodes[k]["slot"], begin : begin + job.features[j, 1] + 1]
    cells = table[TABLE - 2 :].reshape((table.shape[1], 2))
    cells[:] = 0.0
    start, stop = job.nodes[k]["start"], job.nodes[k]["stop"]
    add_codes(job.codes[j], job.rows[start:stop], job.packed[start:stop], cells)
    return cells


@inner_kernel
def missing_weight(job: Job, j: int) -> float:
    """Weight of the open nodes' rows in which a feature is missing."""
    n_bins, total = job.features[j, 1], 0.0
    for place in range(job.order[N_WAITING]):
        node = job.nodes[job.waiting[place]]
        if job.histograms.shape[0] > 0:
            total += job.histograms[node["slot"], job.features[j, 2] + n_bins, 1]
        else:
            for i in range(node["start"], node["stop"]):
                total += job.packed[i, 1] if job.codes[j, job.rows[i]] == n_bins else 0.0
    return total


@inner_kernel
def add_gains(job: Job, k: int, j: int, some_missing: bool, table: Array) -> None:
    """Add what a node gains by every cut of a feature to the table of its cuts."""
    n_bins, singles = job.features[j, 1], job.features[j, 0] == CATEGORY
    rules, cells = node_rules(job, k, j), sums_by_bin(job, k, j, table)
    if not (singles or some_missing) and is_free(rules):
        node = job.nodes[k]
        least = max(job.limits[MIN_GAIN], resolution(node["score"]))
        limits = node["score"], node["floor"], least, rules[1]
        add_plain_gains(cells, job.sums[k], limits, table)
        return
    missing_signed, missing_weight, alone = cells[n_bins, 0], cells[n_bins, 1], 0.0
    if some_missing:
        alone = side_gain(job, k, rules, missing_signed, missing_weight)
    signed = weight = gain = 0.0
    other = alone
    for cut in range(n_bins):
        if cells[cut, 1] > 0.0:
            signed = cells[cut, 0] + (0.0 if singles else signed)
            weight = cells[cut, 1] + (0.0 if singles else weight)
            gain = side_gain(job, k, rules, signed, weight)
            if some_missing:
                other = side_gain(job, k, rules, signed + missing_signed, weight + missing_weight)
        elif singles:
            gain, other, weight = 0.0, alone, 0.0
        table[0, cut] += gain
        table[1, cut] += other
        table[2, cut] += weight
    if singles and some_missing:  # all that are present
        signed, weight = job.sums[k, 0] - missing_signed, job.sums[k, 1] - missing_weight
        table[0, n_bins] += side_gain(job, k, rules, signed, weight)
        table[2, n_bins] += weight


@inner_kernel
def ask_tile(job: Job, tile: int) -> None:
    """Best question for all open nodes, of each feature of a tile."""
    n_open, whole, total = job.order[N_WAITING], 0.0, 0.0
    for place in range(n_open):
        whole += abs(job.nodes[job.waiting[place]]["score"])
        total += job.sums[job.waiting[place], 1]
    for j in range(job.tiles[tile], job.tiles[tile + 1]):
        job.splits[0, j]["gain"] = 0.0
        if job.waiting[0] == 0:  # the root: perhaps some values are missing
            job.splits[1, j]["missing_left"] = 1
        if job.allowed.shape[1] > 0 and job.allowed[0, j] == 0:
            continue
        missing = missing_weight(job, j) if job.splits[1, j]["missing_left"] != 0 else 0.0
        job.splits[1, j]["missing_left"] = missing > 0.0  # if none is here, none is further down
        table = cut_table(job, tile, j)
        table[:3] = 0.0
        for place in range(n_open):
            add_gains(job, job.waiting[place], j, missing > TIE * total, table)
        choose_cut(table[:3], missing > TIE * total, whole, total, job.splits[0, j])


@inner_kernel
def choose_cut(table: Array, some_missing: bool, whole: float, total: float, split: Array) -> None:
    """Write the best cut of one feature, the lowest on ties, missing values left before right.

    Where there are none they go to the heavier side.
    """
    best, bar, best_weight = 0.0, resolution(whole), 0.0
    for cut in range(table.shape[1]):
        if table[2, cut] <= TIE * total:
            continue  # missing values alone stand right
        for side in range(1 if some_missing else 0, -1, -1):
            found = table[side, cut]
            if found > bar:
                best, bar, best_weight = found, found + resolution(whole + found), table[2, cut]
                split["cut"], split["missing_left"] = cut, side
    split["gain"] = best
    if not some_missing:
        split["missing_left"] = is_heavier(best_weight, total)


# -- growth ----------------------------------------------------------------------------------------


@kernel
def stay_open(job: Job, k: int) -> None:
    """Have a node wait for the next question."""
    job.waiting[job.order[N_WAITING]] = k
    job.order[N_WAITING] += 1


@inner_kernel
def open_node(job: Job, k: int) -> None:
    """Have a node, whose sums are there, wait for the next question."""
    node = job.nodes[k]
    node["score"] = score(job.sums[k], node_rules(job, k, NO_FEATURE))
    node["floor"] = least_weight(job, k)
    stay_open(job, k)


@inner_kernel
def open_pair(job: Job) -> bool:
    """Make sums of the root, or of two new nodes of which the larger has the parent's.

    False where there is no room for sums.
    """
    found = seek(job)
    if found > 0 and job.histograms.shape[0] > 0:
        if job.order[SEEK_SMALL] == 0:
            turn_values(job)
        do_level_task(job, SUM)
    return found != FULL


@inner_kernel
def settle_pair(job: Job, left: int) -> None:
    """Have two new nodes wait, the left one first, if they may be divided."""
    for k in range(left, left + 2):
        which = SEEK_SMALL if k == job.order[SMALL] else SEEK_LARGE
        if job.order[which] != 0:
            open_node(job, k)
        else:
            release(job, k)


@inner_kernel
def allow_columns(job: Job) -> None:
    """Say which features a level may be split by: those that each of its nodes may."""
    if job.allowed.shape[1] == 0:
        return
    job.allowed[0, :] = 1
    for place in range(job.order[N_WAITING]):
        allow_by_path(job, job.waiting[place], job.allowed[1])
        for j in range(job.allowed.shape[1]):
            job.allowed[0, j] = min(job.allowed[0, j], job.allowed[1, j])
    if job.limits[MAX_FEATURES] < 1.0:  # anew for every level: the newest node is another one
        draw_columns(job.seeds[job.order[N_NODES] - 1], job.limits[MAX_FEATURES], job.allowed[0])


@inner_kernel
def left_sums(job: Job, k: int, j: int, cut: int, missing_left: int) -> tuple[float, float]:
    """What a question sends to the left of a node: signed sum and weight."""
    n_bins, cells = job.features[j, 1], sums_by_bin(job, k, j, cut_table(job, 0, j))
    first = cut if job.features[j, 0] == CATEGORY and cut < n_bins else 0
    signed = weight = 0.0
    for code in range(first, min(cut + 1, n_bins)):
        signed += cells[code, 0]
        weight += cells[code, 1]
    if missing_left != 0:
        signed += cells[n_bins, 0]
        weight += cells[n_bins, 1]
    return signed, weight


@inner_kernel
def answer(job: Job, k: int, j: int) -> None:
    """Give a node the split that its level is asked for, unless that gains nothing there."""
    node, split = job.nodes[k], job.splits[0, j]
    signed, weight = left_sums(job, k, j, split["cut"], split["missing_left"])
    gain = side_gain(job, k, node_rules(job, k, j), signed, weight)
    if gain > 0.0:
        node["feature"], node["gain"], node["cut"] = j, gain, split["cut"]
        node["left_weight"], node["missing_left"] = weight, split["missing_left"]


@inner_kernel
def ask(job: Job) -> bool:
    """Ask the open nodes the question that gains most; those that it divides have a split then.

    False where none gains anything.
    """
    n_open, whole = job.order[N_WAITING], 0.0
    if n_open == 0:
        return False
    allow_columns(job)
    do_level_task(job, ASK)
    for place in range(n_open):
        whole += abs(job.nodes[job.waiting[place]]["score"])
    j = first_best(job.splits[0], whole)
    for place in range(n_open if j >= 0 else 0):
        answer(job, job.waiting[place], j)
    return j >= 0


@inner_kernel
def divide_level(job: Job, last: bool) -> bool:
    """Divide the nodes that have answered; they give way to their children.

    Of the ``last`` level these are leaves. False where there is no room for sums.
    """
    order, asked = job.order, job.waiting[: job.order[N_WAITING]].copy()
    order[N_WAITING] = 0
    for k in asked:
        if job.nodes[k]["feature"] < 0:
            stay_open(job, k)
        elif divide(job, k) and not last:
            if not open_pair(job):
                return False
            settle_pair(job, job.nodes[k]["left"])
    return True


@kernel
def grow_symmetric(job: Job) -> int:
    """Grow a symmetric tree into ``nodes``; returns how many, or FULL where there is no room.

    The first is the root, with its sums and rows. Children come after their parent.
    """
    job = by_reference(job)
    order, depth = job.order, job.shape[MAX_DEPTH]
    plant(job)
    if not open_pair(job):
        return FULL
    if order[SEEK_SMALL] != 0:
        open_node(job, 0)
    for level in range(depth):
        if not ask(job):
            break
        if not divide_level(job, level == depth - 1):
            return FULL
    measure_leaves(job)
    return order[N_NODES]
