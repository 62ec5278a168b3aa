"""Where finished work goes, and what was sent there."""

from __future__ import annotations

from destinations.models.delivery import Delivery, DeliveryStep
from destinations.models.destination import BoardDestination, CardDestination, Destination

__all__ = ["BoardDestination", "CardDestination", "Delivery", "DeliveryStep", "Destination"]
