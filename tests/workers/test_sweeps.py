"""The sweep: what is wrong with one part keeps no other from its work."""

from __future__ import annotations

import pytest

from bakedbrie.lib import presence
from workers import sweeps


@pytest.mark.parametrize("broken", ["sweep_turns", "sweep_deliveries", "sweep_folders"])
def test_a_mistake_in_one_part_leaves_the_others_their_work(monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    ran: list[str] = []

    def part(name: str) -> None:
        ran.append(name)
        if name == broken:
            raise RuntimeError(name)

    for name in ("sweep_turns", "sweep_deliveries", "sweep_folders"):
        monkeypatch.setattr(sweeps, name, lambda name=name: part(name))
    monkeypatch.setattr(presence, "note", ran.append)

    with pytest.raises(RuntimeError, match=broken):
        sweeps.run_sweep()

    assert ran == ["sweep_turns", "sweep_deliveries", "sweep_folders"]
