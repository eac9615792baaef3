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

_AUTHORITY: Final = re.compile(r'AUTHORITY\["EPSG",\s*"?(\d+)"?\]\s*\]\s*$')

Keys = Mapping[int, int | float | str]

USER_DEFINED: Final = 32767
MODEL, RASTER, CITATION = 1024, 1025, 3073
GEOGRAPHIC, PROJECTED = 2048, 3072
AS_TEXT: Final = "ESRI PE String = "
"""What precedes a coordinate system in text, in the citation of a user-defined one."""

_GRS80, _WGS84_BODY = ("GRS_1980", 6378137.0, 298.257222101), ("WGS_1984", 6378137.0, 298.257223563)
_BESSEL, _CLARKE = ("Bessel_1841", 6377397.155, 299.1528128), ("Clarke_1866", 6378206.4, 294.9786982)
_AIRY: Final = ("Airy_1830", 6377563.396, 299.3249646)
_BODIES: Final = {7001: _AIRY, 7004: _BESSEL, 7008: _CLARKE, 7019: _GRS80, 7030: _WGS84_BODY}
_DATUMS: Final = {
    4171: ("RGF_1993", _GRS80),
    4258: ("ETRS_1989", _GRS80),
    4267: ("North_American_1927", _CLARKE),
    4269: ("North_American_1983", _GRS80),
    4277: ("OSGB_1936", _AIRY),
    4283: ("GDA_1994", _GRS80),
    4326: ("WGS_1984", _WGS84_BODY),
    4674: ("SIRGAS_2000", _GRS80),
    7844: ("GDA2020", _GRS80),
}
"""Geographic systems by their codes; those of their datums are 2000 more where they are of the old series."""

_LON: Final = ("Central_Meridian", 0.0, (3080, 3088, 3084, 3095))
_LAT: Final = ("Latitude_Of_Origin", 0.0, (3081, 3089, 3085))
_FIRST: Final = ("Standard_Parallel_1", 0.0, (3078, 3081, 3089))
_SECOND: Final = ("Standard_Parallel_2", 0.0, (3079,))
_SCALE: Final = ("Scale_Factor", 1.0, (3092, 3093))
_ORIGIN: Final = (("False_Easting", 0.0, (3082, 3090, 3086)), ("False_Northing", 0.0, (3083, 3091, 3087)))
_METHODS: Final = {
    1: ("Transverse_Mercator", (_LON, _SCALE, _LAT)),
    7: ("Mercator", (_LON, _FIRST)),
    8: ("Lambert_Conformal_Conic", (_LON, _FIRST, _SECOND, _LAT)),
    9: ("Lambert_Conformal_Conic", (_LON, _FIRST, _SCALE, _LAT)),
    10: ("Lambert_Azimuthal_Equal_Area", (_LON, _LAT)),
    11: ("Albers", (_LON, _FIRST, _SECOND, _LAT)),
    12: ("Azimuthal_Equidistant", (_LON, _LAT)),
    15: ("Stereographic_{}_Pole", (_LON, _FIRST)),
    16: ("Double_Stereographic", (_LON, _SCALE, _LAT)),
    17: ("Equidistant_Cylindrical", (_LON, _FIRST)),
    24: ("Sinusoidal", (_LON,)),
    28: ("Cylindrical_Equal_Area", (_LON, _FIRST)),
}
"""Projections by the code of the method (ProjCoordTransGeoKey), with the keys of their parameters."""

_ZONES: Final = {
    258: (4258, range(28, 39), 0.0),
    267: (4267, range(1, 23), 0.0),
    269: (4269, range(1, 24), 0.0),
    283: (4283, range(46, 60), 1e7),
    326: (4326, range(1, 61), 0.0),
    327: (4326, range(1, 61), 1e7),
}
"""Series of codes of UTM: geographic system, zones (the last two digits), and false northing."""

_SYSTEMS: Final[dict[int, tuple[str, int, int, dict[int, float]]]] = {
    2154: ("RGF_1993_Lambert_93", 4171, 8, {3084: 3, 3078: 49, 3079: 44, 3085: 46.5, 3086: 7e5, 3087: 6.6e6}),
    3031: ("WGS_1984_Antarctic_Polar_Stereographic", 4326, 15, {3081: -71}),
    3034: ("ETRS_1989_LCC", 4258, 8, {3084: 10, 3078: 35, 3079: 65, 3085: 52, 3086: 4e6, 3087: 2.8e6}),
    3035: ("ETRS_1989_LAEA", 4258, 10, {3088: 10, 3089: 52, 3082: 4321000, 3083: 3210000}),
    3413: ("WGS_1984_NSIDC_Sea_Ice_Polar_Stereographic_North", 4326, 15, {3095: -45, 3081: 70}),
    5070: ("NAD_1983_Contiguous_USA_Albers", 4269, 11, {3080: -96, 3078: 29.5, 3079: 45.5, 3081: 23}),
    6933: ("WGS_1984_NSIDC_EASE-Grid_2.0_Global", 4326, 28, {3078: 30}),
    27700: (
        "British_National_Grid",
        4277,
        1,
        {3080: -2, 3081: 49, 3092: 0.9996012717, 3082: 4e5, 3083: -1e5},
    ),
}
"""Other projected systems that are much used: name, geographic system, method and parameters."""


def wkt_of_epsg(code: int) -> str:
    """Return a coordinate system by its EPSG code; empty for those that are not in the tables above."""
    if code in _DATUMS:
        return _geographic({GEOGRAPHIC: code})
    if code in _SYSTEMS:
        name, base, method, parameters = _SYSTEMS[code]
        return wkt_of_keys({GEOGRAPHIC: base, 3075: method, CITATION: name, **parameters})
    base, zones, northing = _ZONES.get(code // 100, (0, range(0), 0.0))
    zone = code % 100
    if zone not in zones:
        return ""
    datum, hemisphere = _DATUMS[base][0].replace("North_American_", "NAD_"), "S" if northing else "N"
    name = f"{datum}_MGA_Zone_{zone}" if base == 4283 else f"{datum}_UTM_Zone_{zone}{hemisphere}"
    return wkt_of_keys({GEOGRAPHIC: base, CITATION: name, **_utm(zone, northing)})


def epsg_of_wkt(wkt: str) -> str:
    """Return ``EPSG:…`` for a text that ends in its code, or is that of one of the tables; else nothing."""
    if said := _AUTHORITY.search(wkt):
        return f"EPSG:{said[1]}"
    zones = (100 * series + zone for series, (_, zones, _) in _ZONES.items() for zone in zones)
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
    parallel = _first(keys, 0.0, _FIRST[2])
    # A scale at the pole has another name in Esri's dialect.
    polar = found is not None and "{}" in found[0] and (_number(keys, 3092, 1.0) != 1 or not parallel)
    if found is None or polar or keys.get(3076, 9001) != 9001:
        return ""
    values = "".join(
        f'PARAMETER["{each}",{_first(keys, default, known)!r}],'
        for each, default, known in (*_ORIGIN, *found[1])
    )
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


def _first(keys: Keys, default: float, wanted: tuple[int, ...]) -> float:
    return next((_number(keys, key) for key in wanted if key in keys), default)


def _number(keys: Keys, key: int, default: float = 0.0) -> float:
    found = keys.get(key, default)
    return default if isinstance(found, str) else float(found)
