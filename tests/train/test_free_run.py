"""The vocoder running freely with written-out gradients does what autograd makes of the plain loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the training's packages are not installed")
pytest.importorskip("librosa", reason="the training's packages are not installed")

from free_run import free_run  # noqa: E402
from wavernn import BLOCK, CONTEXT, HISTORY, STEPS, WaveRnnLite, pitch_lag  # noqa: E402

BATCH, FRAMES = 2, 3


@pytest.fixture(autouse=True)
def doubles() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def model_with_a_life() -> Any:
    """No layer is zero, and some samples and some scales reach their limits."""
    torch.manual_seed(3)
    model = WaveRnnLite()
    with torch.no_grad():
        for layer in (model.predictor, model.mixing, model.head_out, model.levels):
            layer.weight.normal_(0, 0.1)
        model.head_out.bias[BLOCK:] = torch.linspace(-7, 5, BLOCK)
    return model


def test_samples_and_gradients_are_those_of_the_plain_loop() -> None:
    model = model_with_a_life()
    features = torch.randn(BATCH, FRAMES + 2 * CONTEXT, 82)
    features[..., 80] = torch.tensor([1.0, 0.0])[:, None]
    lag = pitch_lag(features[:, CONTEXT:-CONTEXT, 80:])
    noise = torch.randn(BATCH, FRAMES, STEPS, BLOCK)
    _, _, state = model.forced(features, 0.1 * torch.randn(BATCH, HISTORY + FRAMES * STEPS * BLOCK), 0.0)
    state = type(state)(*(each.detach() for each in vars(state).values()))
    weight = torch.randn(BATCH, FRAMES * STEPS * BLOCK)
    found = []
    for run in (lambda *given: model.free(*given)[0], lambda *given: free_run(model, *given)):
        model.zero_grad()
        samples = run(model.controls(features), lag, state, noise)
        (samples * weight).sum().backward()
        found.append((samples.detach(), {name: each.grad for name, each in model.named_parameters()}))
    (plain, plain_gradients), (fast, fast_gradients) = found
    assert plain.abs().max() == pytest.approx(1.5), "a limit that is reached is part of the test"
    torch.testing.assert_close(fast, plain)
    for name, gradient in plain_gradients.items():
        assert gradient.abs().max() > 0, name
        torch.testing.assert_close(fast_gradients[name], gradient, msg=name)
