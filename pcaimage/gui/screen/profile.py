"""The colour profile of the screen: that of the system, sRGB, or a file that the user chose. No Qt here.

Qt has no call for it. X11 and Windows show what a window paints as it is, and so does macOS for Qt's windows,
so pictures are converted by the program. Wayland's compositors take what a window paints as sRGB and convert
it themselves.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_long, c_ubyte, c_uint32, c_ulong, c_void_p
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pcaimage.errors import ImageError
from pcaimage.imaging.measures.screen_colours import screen_profile_name

SYSTEM, SRGB = "system", "srgb"  # settings; any other is the path of a file
_MOST_BYTES = 16_000_000


def find_profile(setting: str, ask_system: Callable[[], bytes | None]) -> bytes | None:
    """Return the ICC profile of a screen by a setting; None for sRGB, and where the system has none.

    ImageError if a file that the user chose is gone, or is no profile of a screen.
    """
    if setting == SRGB:
        return None
    return check_profile(Path(setting)) if setting != SYSTEM else ask_system() or None


def check_profile(path: Path) -> bytes:
    """Return the profile of a screen in a file; raise ImageError with a sentence for the user otherwise."""
    try:
        with path.open("rb") as file:
            found = file.read(_MOST_BYTES)
    except OSError as error:
        raise ImageError(f"The screen profile {path.name} cannot be read.") from error
    try:
        screen_profile_name(found)
    except ImageError as error:
        raise ImageError(f"{path.name} is not used: {str(error)[0].lower()}{str(error)[1:]}") from error
    return found


_PROPERTY = b"_ICC_PROFILE"
_LIBRARIES: Any = ctypes  # one kind of libraries is known on Windows alone
_MOST_WORDS = 1 << 22  # longest profile in units of 4 bytes; most have some kilobytes


class ScreenPlace(NamedTuple):
    """A screen, as the systems know it."""

    platform: str  # Qt's name of the window system: ``"xcb"``, ``"windows"``, ``"cocoa"``, ``"wayland"``
    name: str = ""  # the screen's name; of X11 that of its output, such as ``"DP-1"``
    x: float = 0.0
    y: float = 0.0  # a point upon it, on macOS in points of the desktop
    window: int = 0  # the native window whose screen is meant, on Windows


def system_profile(place: ScreenPlace) -> bytes | None:
    """Return the ICC profile of a screen; None if the system has none, or converts colours itself."""
    find = {"xcb": _of_x11, "windows": _of_windows, "cocoa": _of_macos}.get(place.platform)
    try:
        return None if find is None else find(place)
    except (OSError, AttributeError):  # a library or one of its functions is missing
        return None


def _of_x11(place: ScreenPlace) -> bytes | None:
    """Ask the output for its profile, and else the root window (ICC Profiles in X Specification 0.4)."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = x11.XDefaultRootWindow.restype = c_void_p
    x11.XOpenDisplay.argtypes = [c_char_p]
    x11.XInternAtom.restype = c_ulong
    x11.XInternAtom.argtypes = [c_void_p, c_char_p, c_int]
    x11.XDefaultRootWindow.argtypes = x11.XCloseDisplay.argtypes = x11.XFree.argtypes = [c_void_p]
    display = x11.XOpenDisplay(None)
    if not display:
        return None
    try:
        root = x11.XDefaultRootWindow(display)
        return _of_output(x11, display, root, place.name) or _of_root(x11, display, root)
    finally:
        x11.XCloseDisplay(display)


def _of_root(x11: Any, display: int, root: int) -> bytes | None:
    x11.XGetWindowProperty.argtypes = [c_void_p, c_void_p, c_ulong, c_long, c_long, c_int, c_ulong]
    x11.XGetWindowProperty.argtypes += [c_void_p] * 5
    atom = x11.XInternAtom(display, _PROPERTY, 0)
    return _property(x11, partial(x11.XGetWindowProperty, display, root, atom, 0, _MOST_WORDS, 0, 0))


def _of_output(x11: Any, display: int, root: int, name: str) -> bytes | None:
    class Resources(ctypes.Structure):
        _fields_ = (
            ("times", c_ulong * 2),
            ("ncrtc", c_int),
            ("crtcs", c_void_p),
            ("noutput", c_int),
            ("outputs", POINTER(c_ulong)),
        )

    class Output(ctypes.Structure):
        _fields_ = (("timestamp", c_ulong), ("crtc", c_ulong), ("name", c_void_p), ("length", c_int))

    try:
        randr = ctypes.CDLL("libXrandr.so.2")
    except OSError:
        return None
    randr.XRRGetScreenResourcesCurrent.restype = POINTER(Resources)
    randr.XRRGetScreenResourcesCurrent.argtypes = [c_void_p, c_void_p]
    randr.XRRFreeScreenResources.argtypes = randr.XRRFreeOutputInfo.argtypes = [c_void_p]
    randr.XRRGetOutputInfo.restype = POINTER(Output)
    randr.XRRGetOutputInfo.argtypes = [c_void_p, c_void_p, c_ulong]
    randr.XRRGetOutputProperty.argtypes = [c_void_p, c_ulong, c_ulong, c_long, c_long, c_int, c_int, c_ulong]
    randr.XRRGetOutputProperty.argtypes += [c_void_p] * 5
    resources = randr.XRRGetScreenResourcesCurrent(display, root)
    if not resources:
        return None
    try:
        for output in resources.contents.outputs[: resources.contents.noutput]:
            known = randr.XRRGetOutputInfo(display, resources, output)
            if not known:
                continue
            found = ctypes.string_at(known.contents.name, known.contents.length)
            randr.XRRFreeOutputInfo(known)
            if found.decode(errors="replace") == name:
                atom = x11.XInternAtom(display, _PROPERTY, 0)
                request = (display, output, atom, 0, _MOST_WORDS, 0, 0, 0)
                return _property(x11, partial(randr.XRRGetOutputProperty, *request))
    finally:
        randr.XRRFreeScreenResources(resources)
    return None


def _property(x11: Any, ask: Any) -> bytes | None:
    """Return a property of bytes, which `ask` stores by five pointers; None if there is none."""
    kind, width, count, rest, data = c_ulong(), c_int(), c_ulong(), c_ulong(), c_void_p()
    failed = ask(byref(kind), byref(width), byref(count), byref(rest), byref(data))
    if failed or data.value is None:
        return None
    found = ctypes.string_at(data, count.value) if width.value == 8 and not rest.value else b""
    x11.XFree(data)
    return found or None


def _of_windows(place: ScreenPlace) -> bytes | None:
    """Return the profile that is the default of the monitor with the window."""

    class Monitor(ctypes.Structure):
        _fields_ = (("size", c_uint32), ("areas", c_int * 8), ("flags", c_uint32), ("device", c_ubyte * 64))

    user, gdi = _LIBRARIES.WinDLL("user32"), _LIBRARIES.WinDLL("gdi32")
    user.MonitorFromWindow.restype = gdi.CreateDCW.restype = c_void_p
    user.MonitorFromWindow.argtypes = [c_void_p, c_uint32]
    user.GetMonitorInfoW.argtypes = [c_void_p, c_void_p]
    gdi.CreateDCW.argtypes = [c_void_p] * 4
    gdi.DeleteDC.argtypes = [c_void_p]
    gdi.GetICMProfileW.argtypes = [c_void_p] * 3
    monitor = Monitor(size=ctypes.sizeof(Monitor))
    if not user.GetMonitorInfoW(user.MonitorFromWindow(place.window, 2), byref(monitor)):
        return None
    context = gdi.CreateDCW(byref(monitor.device), byref(monitor.device), None, None)
    if not context:
        return None
    path = ctypes.create_unicode_buffer(1024)
    known = gdi.GetICMProfileW(context, byref(c_uint32(len(path))), path)
    gdi.DeleteDC(context)
    return Path(path.value).read_bytes() if known and path.value else None


def _of_macos(place: ScreenPlace) -> bytes | None:
    """Return the profile of the display at a point."""

    class Point(ctypes.Structure):
        _fields_ = (("x", c_double), ("y", c_double))

    frameworks = "/System/Library/Frameworks"
    graphics = ctypes.CDLL(f"{frameworks}/CoreGraphics.framework/CoreGraphics")
    core = ctypes.CDLL(f"{frameworks}/CoreFoundation.framework/CoreFoundation")
    graphics.CGDisplayCopyColorSpace.restype = graphics.CGColorSpaceCopyICCData.restype = c_void_p
    graphics.CGDisplayCopyColorSpace.argtypes = [c_uint32]
    graphics.CGGetDisplaysWithPoint.argtypes = [Point, c_uint32, c_void_p, c_void_p]
    graphics.CGColorSpaceCopyICCData.argtypes = core.CFRelease.argtypes = [c_void_p]
    core.CFDataGetLength.argtypes = core.CFDataGetBytePtr.argtypes = [c_void_p]
    core.CFDataGetLength.restype, core.CFDataGetBytePtr.restype = c_long, c_void_p
    display, count = c_uint32(), c_uint32()
    graphics.CGGetDisplaysWithPoint(Point(place.x, place.y), 1, byref(display), byref(count))
    space = graphics.CGDisplayCopyColorSpace(display) if count.value else None
    data = graphics.CGColorSpaceCopyICCData(space) if space else None
    found = ctypes.string_at(core.CFDataGetBytePtr(data), core.CFDataGetLength(data)) if data else None
    for each in filter(None, (data, space)):
        core.CFRelease(each)
    return found
