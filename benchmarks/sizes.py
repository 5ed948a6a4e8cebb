"""How much each benchmark does: the full run, and a quick one that only shows that it works."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

Shape = tuple[int, int]


@dataclass(frozen=True)
class Sizes:
    """Sizes of all benchmarks; the defaults are the full run, and the goals are stated for it."""

    repeats: int = 5
    test_rows: int = 100_000

    stump_shapes: tuple[Shape, ...] = ((1_000_000, 28), (100_000, 50))
    stump_rounds: int = 100

    adaboost_shape: Shape = (100_000, 20)
    adaboost_rounds: int = 100

    predict_shapes: tuple[Shape, ...] = ((100_000, 28), (1_000_000, 28))
    predict_train_rows: int = 50_000
    predict_rounds: tuple[int, ...] = (10, 100, 1000)
    predict_tree_rows: int = 400_000
    predict_trees: int = 100

    scaling_rows: tuple[int, ...] = (10_000, 30_000, 100_000, 300_000, 1_000_000)
    scaling_features: tuple[int, ...] = (5, 10, 20, 50, 100, 200)
    scaling_rounds: tuple[int, ...] = (50, 100, 200, 400, 800, 1600)
    base_rows: int = 100_000
    base_features: int = 20
    base_rounds: int = 50

    memory_shapes: tuple[Shape, Shape, Shape] = ((500_000, 50), (500_000, 150), (1_000_000, 50))
    memory_rounds: int = 50

    cold_repeats: int = 3

    cluster_shape: Shape = (200_000, 20)
    cluster_rounds: int = 100
    cluster_workers: tuple[int, ...] = (1, 2, 3)
    cluster_loss_shape: Shape = (500_000, 20)
    cluster_losses: int = 10
    cluster_patience: float = 120.0
    """Seconds after which a fit with a lost worker counts as hanging, all before it included."""
    cluster_limit: float = 300.0
    """Seconds that any other line may take."""
    cluster_cost_shape: Shape = (4_000_000, 28)
    cluster_cost_rounds: int = 30
    cluster_latency_shape: Shape = (100_000, 28)

    gradient_shapes: tuple[Shape, ...] = ((100_000, 50), (1_000_000, 28))
    gradient_rounds: int = 100
    regression_rows: int = 4000
    regression_splits: int = 5
    regression_results: Path | None = None
    regression_large: int = 100_000
    target_audit_rows: int = 1000
    target_audit_seeds: int = 1
    gradient_class_shapes: tuple[Shape, ...] = ((20_000, 20), (100_000, 50), (1_000_000, 28))
    gradient_variants: bool = True
    gradient_classes: int = 5
    gradient_class_rounds: int = 30

    soft_margin_cases: tuple[tuple[float, int, float], ...] = (
        (0.7, 1_000, 1e-3),
        (0.7, 10_000, 1e-3),
        (0.7, 100_000, 1e-3),
        (0.7, 1_000_000, 1e-3),
        (0.7, 1_000_000, 1e-4),
        (0.4, 1_000, 1e-3),
        (0.4, 10_000, 1e-3),
        (0.4, 100_000, 1e-3),
        (0.4, 1_000_000, 1e-3),
    )
    soft_margin_seconds: float = 75.0
    soft_margin_full_rows: int = 1000
    soft_margin_plane_rows: int = 1500
    soft_margin_rows: int | None = None
    """Rows of the sets of ``soft_margin_sets``, at most."""
    other: Path | None = None
    """Another checkout of this package, measured beside this one."""

    symmetric_shapes: tuple[Shape, ...] = ((10_000, 20), (100_000, 50))
    symmetric_rounds: int = 200

    shapley_shape: Shape = (10_000, 20)
    shapley_trees: int = 100
    shapley_background: int = 100
    shapley_few: int = 2_000
    shapley_repeats: int = 2

    leveraging_shape: Shape = (100_000, 50)
    leveraging_rounds: int = 300

    audit_rows: int = 2000
    audit_sets: int | None = None
    audit_rates: tuple[float, ...] = (0.05, 0.1, 0.2)
    audit_seeds: int = 2
    audit_large: tuple[int, ...] = (2_000, 5_000, 10_000, 20_000, 200_000, 1_000_000)

    robust_rows: int = 1500
    robust_sets: int | None = None
    robust_rates: tuple[float, ...] = (0.0, 0.1, 0.2, 0.3)
    robust_kinds: tuple[str, ...] = ("uniform", "class-conditional", "feature-dependent")
    robust_splits: int = 5
    robust_results: Path | None = None
    again: str | None = None
    """Contender of ``robust`` that is measured anew."""
    minutes: float | None = None

    choosing_rows: int = 36_000

    noise_rows: int = 600
    noise_splits: int = 5
    noise_rates: tuple[float, ...] = (0.0, 0.1, 0.2, 0.3)

    relatives_rows: int = 100
    relatives_splits: int = 4

    stream_rows: int = 100_000_000


FULL = Sizes()

SPEED = Sizes(
    repeats=2,
    stump_shapes=((1_000_000, 28),),
    scaling_rows=(100_000, 1_000_000),
    scaling_features=(10, 50),
    scaling_rounds=(100, 400),
    cold_repeats=1,
    gradient_shapes=((1_000_000, 28),),
    gradient_rounds=30,
    gradient_variants=False,
    gradient_class_shapes=((1_000_000, 28),),
    gradient_class_rounds=10,
    soft_margin_cases=(
        (0.7, 100_000, 1e-3),
        (0.7, 1_000_000, 1e-3),
        (0.7, 1_000_000, 1e-4),
        (0.4, 100_000, 1e-3),
    ),
    soft_margin_seconds=30.0,
    soft_margin_full_rows=500,
    audit_sets=0,
    audit_large=(20_000, 200_000),
)
"""What docs/speed.md shows, at full size with fewer repeats and rounds: some ten minutes."""

QUICK = Sizes(
    regression_rows=200,
    regression_splits=1,
    regression_large=3000,
    regression_results=Path(tempfile.gettempdir()) / "marginboost-regression-quick.json",
    target_audit_rows=300,
    repeats=2,
    test_rows=10_000,
    stump_shapes=((20_000, 28), (10_000, 50)),
    adaboost_shape=(10_000, 20),
    adaboost_rounds=10,
    predict_shapes=((50_000, 28),),
    predict_train_rows=10_000,
    predict_tree_rows=20_000,
    predict_trees=20,
    scaling_rows=(5_000, 10_000, 20_000, 40_000),
    scaling_features=(5, 10, 20, 40),
    scaling_rounds=(50, 100, 200, 400),
    base_rows=10_000,
    memory_shapes=((200_000, 50), (200_000, 150), (400_000, 50)),
    memory_rounds=10,
    cold_repeats=1,
    cluster_shape=(5_000, 6),
    cluster_rounds=10,
    cluster_workers=(1, 2),
    cluster_loss_shape=(5_000, 6),
    cluster_losses=2,
    cluster_cost_shape=(6_000, 28),
    cluster_cost_rounds=10,
    cluster_latency_shape=(3_000, 28),
    gradient_shapes=((10_000, 50), (20_000, 28)),
    gradient_rounds=20,
    gradient_class_shapes=((5_000, 20),),
    gradient_class_rounds=20,
    soft_margin_cases=((0.7, 1_000, 1e-3), (0.7, 4_000, 1e-3)),
    soft_margin_seconds=20.0,
    soft_margin_full_rows=100,
    soft_margin_plane_rows=600,
    soft_margin_rows=500,
    symmetric_shapes=((500, 8),),
    symmetric_rounds=5,
    shapley_shape=(300, 6),
    shapley_trees=5,
    shapley_background=20,
    shapley_few=100,
    shapley_repeats=1,
    leveraging_shape=(5_000, 20),
    leveraging_rounds=60,
    audit_rows=300,
    audit_sets=2,
    audit_rates=(0.1,),
    audit_seeds=1,
    choosing_rows=150,
    noise_rows=200,
    noise_splits=1,
    noise_rates=(0.2,),
    relatives_rows=40,
    relatives_splits=1,
    audit_large=(),
    stream_rows=300_000,
    robust_rows=100,
    robust_sets=1,
    robust_rates=(0.2,),
    robust_kinds=("uniform",),
    robust_splits=1,
    robust_results=Path(tempfile.gettempdir()) / "marginboost-robust-quick.json",
)
