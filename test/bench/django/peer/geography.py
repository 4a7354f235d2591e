"""Distances on a sphere, as Plaza computes them."""

import math
from typing import NamedTuple

RADIUS = 6371.0088  # kilometres


class Circle(NamedTuple):
    """The points within a distance in kilometres of a centre. It holds no pole and does not cross the antimeridian."""

    lat: float
    lng: float
    distance: float

    def haversine_limit(self):
        """Return the haversine of the distance."""
        return math.sin(self.distance / RADIUS / 2) ** 2

    def box(self):
        """Return the ranges of latitude and of longitude around the circle."""
        angle = self.distance / RADIUS + 1e-10  # more than the rounding error
        tall = math.degrees(angle)
        wide = math.degrees(math.asin(math.sin(angle) / math.cos(math.radians(self.lat))))
        return (self.lat - tall, self.lat + tall), (self.lng - wide, self.lng + wide)

    def distance_to(self, lat, lng):
        """Return the distance from the centre in kilometres, rounded to the metre."""
        haversine = (
            math.sin(math.radians(lat - self.lat) / 2) ** 2
            + math.cos(math.radians(lat)) * math.cos(math.radians(self.lat)) * math.sin(math.radians(lng - self.lng) / 2) ** 2
        )
        return math.floor(2 * RADIUS * math.asin(math.sqrt(min(haversine, 1))) * 1000 + 0.5) / 1000
