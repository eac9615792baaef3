"""Coordinate systems in well-known text, from the keys of a GeoTIFF or an EPSG code.

The text is in Esri's dialect, which ENVI writes and GDAL reads like any other.

References
----------
OGC GeoTIFF Standard 1.1 (OGC 19-008r4): GeoKeys; GeoTIFF 1.8.2, annex C: which of them are the parameters of
a projection; OGC 01-009, section 7: well-known text; the EPSG Geodetic Parameter Dataset, for the constants.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pcaimage.machine.folders import tables

_AUTHORITY: Final = re.compile(r'AUTHORITY\["EPSG",\s*"?(\d+)"?\]\s*\]\s*$')

Keys = Mapping[int, int | float | str]

USER_DEFINED: Final = 32767
MODEL, RASTER, CITATION = 1024, 1025, 3073
GEOGRAPHIC, PROJECTED = 2048, 3072
AS_TEXT: Final = "ESRI PE String = "
"""What precedes a coordinate system in text, in the citation of a user-defined one."""

_READ = tables("coordinates.json")
_PARAMETERS: Final = _READ["parameters"]
"""Parameters of projections: their default, and the keys that may have them."""
_BODIES, _DATUMS, _METHODS, _SYSTEMS, _ZONES = (
    {int(code): entry for code, entry in _READ[table].items()}
    for table in ("bodies", "datums", "methods", "systems", "zones")
)
"""Ellipsoids; geographic systems (codes of their datums are 2000 more where they are of the old series);
methods by ProjCoordTransGeoKey, with their parameters; systems that are much used: name, geographic system,
method and parameters; series of UTM: geographic system, zones (the last two digits), and false northing."""


def wkt_of_epsg(code: int) -> str:
    """Return a coordinate system by its EPSG code; empty for those that are not in the tables above."""
    if code in _DATUMS:
        return _geographic({GEOGRAPHIC: code})
    if code in _SYSTEMS:
        name, base, method, parameters = _SYSTEMS[code]
        known = {int(key): value for key, value in parameters.items()}
        return wkt_of_keys({GEOGRAPHIC: base, 3075: method, CITATION: name, **known})
    base, first, stop, northing = _ZONES.get(code // 100, (0, 0, 0, 0.0))
    zone = code % 100
    if not first <= zone < stop:
        return ""
    datum, hemisphere = _DATUMS[base][0].replace("North_American_", "NAD_"), "S" if northing else "N"
    name = f"{datum}_MGA_Zone_{zone}" if base == 4283 else f"{datum}_UTM_Zone_{zone}{hemisphere}"
    return wkt_of_keys({GEOGRAPHIC: base, CITATION: name, **_utm(zone, northing)})


def epsg_of_wkt(wkt: str) -> str:
    """Return ``EPSG:…`` for a text that ends in its code, or is that of one of the tables; else nothing."""
    if said := _AUTHORITY.search(wkt):
        return f"EPSG:{said[1]}"
    zones = (100 * each + zone for each, (_, *ends, _) in _ZONES.items() for zone in range(*ends))
    plain = "".join(wkt.split())
    return next((f"EPSG:{code}" for code in (*_DATUMS, *_SYSTEMS, *zones) if wkt_of_epsg(code) == plain), "")


def wkt_of_keys(keys: Keys) -> str:
    """Return the coordinate system of a GeoTIFF that has no code; empty where its keys do not tell it all."""
    citation = str(keys.get(CITATION, "")).strip("|\0 ")
    if citation.startswith(AS_TEXT):
        return citation.removeprefix(AS_TEXT)
    zone = int(_number(keys, 3074)) - 16000  # the projections of UTM have codes
    if 0 < zone <= 60 or 100 < zone <= 160:
        keys = {**keys, **_utm(zone % 100, 1e7 if zone > 100 else 0.0)}
    geographic, found = _geographic(keys), _METHODS.get(int(_number(keys, 3075)))
    if not geographic or keys.get(MODEL) == 2:
        return geographic
    parallel = _first(keys, "Standard_Parallel_1")
    # A scale at the pole has another name in Esri's dialect.
    polar = found is not None and "{}" in found[0] and (_number(keys, 3092, 1.0) != 1 or not parallel)
    if found is None or polar or keys.get(3076, 9001) != 9001:
        return ""
    wanted = ("False_Easting", "False_Northing", *found[1])
    values = "".join(f'PARAMETER["{each}",{_first(keys, each)!r}],' for each in wanted)
    method = found[0].format("North" if parallel > 0 else "South")
    title = _plain(citation) or "unknown"
    return f'PROJCS["{title}",{geographic},PROJECTION["{method}"],{values}UNIT["Meter",1.0]]'


def _utm(zone: int, northing: float) -> dict[int, int | float | str]:
    return {3075: 1, 3080: 6.0 * zone - 183, 3092: 0.9996, 3082: 5e5, 3083: northing}


def _geographic(keys: Keys) -> str:
    """Return the geographic coordinate system of keys, in degrees from Greenwich."""
    if keys.get(2054, 9102) != 9102 or _number(keys, 2061) or keys.get(2051, 8901) != 8901:
        return ""
    said = dict(each.strip().split(" = ", 1) for each in str(keys.get(2049, "")).split("|") if " = " in each)
    system, datum = int(_number(keys, GEOGRAPHIC)), int(_number(keys, 2050)) - 2000
    known = _DATUMS.get(system) or _DATUMS.get(datum)
    name = _DATUMS[system][0] if system in _DATUMS else said.get("GCS Name", "unknown")
    if known is None:
        ellipsoid = _BODIES.get(int(_number(keys, 2056)), (said.get("Ellipsoid", "unknown"), 0.0, 0.0))
        major, minor = _number(keys, 2057, ellipsoid[1]), _number(keys, 2058)
        flattening = 0.0 if minor in (0, major) else major / (major - minor)
        body = ellipsoid[0], major, _number(keys, 2059, ellipsoid[2] or flattening)
        known = said.get("Datum", "unknown"), body
    title, (body_name, major, inverse) = known
    if not major:
        return ""
    sphere = f'SPHEROID["{_plain(body_name)}",{major!r},{inverse!r}]'
    datum_text = f'DATUM["D_{_plain(title)}",{sphere}]'
    degree = 'UNIT["Degree",0.0174532925199433]'
    return f'GEOGCS["GCS_{_plain(name)}",{datum_text},PRIMEM["Greenwich",0.0],{degree}]'


def _plain(name: str) -> str:
    return "_".join(name.replace('"', "").split())


def _first(keys: Keys, parameter: str) -> float:
    default, wanted = _PARAMETERS[parameter]
    return next((_number(keys, key) for key in wanted if key in keys), default)


def _number(keys: Keys, key: int, default: float = 0.0) -> float:
    found = keys.get(key, default)
    return default if isinstance(found, str) else float(found)
