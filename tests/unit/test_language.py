import pytest
from make_languages import RULES, faults, wanted

from pcaimage import language
from pcaimage.cli.main import call
from pcaimage.language import Catalogue

FOUND = {
    "{name} is {what}.": "{what}: {name}!",
    "damaged": "kaputt",
    "{k} of {count} components are kept": "von {count} Komponenten bleiben {k}",
    "{names} and {others}": "{names} und {others}",
    "B": "Byte",
    "{count} image\0{count} images": ["{count} Bild", "{count} Bilder"],
    "&Open…": "Öff&nen…",
    "Open an image.": "Bild öffnen.",
}


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("a.png is damaged.", "kaputt: a.png!"),
        ("5 of 1,064 components are kept · 34.12\u00a0dB", "von 1.064 Komponenten bleiben 5 · 34,12\u00a0dB"),
        ("1 image", "1 Bild"),
        ("1,234 images", "1.234 Bilder"),
        ("Open…", "Öffnen…"),
        ("Open an image (Ctrl+O).", "Bild öffnen (Ctrl+O)."),
        ("Damaged", "Kaputt"),
        ("kaputt: a.png!", "kaputt: a.png!"),
        ("damaged and B", "damaged und Byte"),
        ("fat cats and wild dogs", "fat cats and wild dogs"),
        ("b", "b"),
        ("No images", "No images"),
        ("1.5, 2", "1,5; 2"),
    ],
)
def test_a_finished_sentence_is_translated_by_its_pattern(english, german):
    catalogue = Catalogue(FOUND, ",.")
    assert catalogue.said(english) == german
    assert catalogue.meanings[german] == english or english == german


@pytest.mark.parametrize(
    ("named", "spoken"),
    [
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "C.UTF-8", "LANGUAGE": "de"}, "en"),
        ({"LANG": "en_GB", "LANGUAGE": "pt:fr"}, "fr"),
        ({"LC_ALL": "zh_HK", "LANG": "de_DE"}, "zh_TW"),
        ({"LANG": "de_DE", "PCAIMAGE_LANGUAGE": "ja"}, "ja"),
        ({}, "es"),
    ],
)
def test_the_language_is_that_of_the_environment_or_else_of_the_system(monkeypatch, named, spoken):
    for name in ("PCAIMAGE_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    assert language.chosen(["pt-BR", "es-MX"]) == spoken


def test_help_and_mistakes_of_the_command_line_are_translated(capsys):
    words = {"Compress an image.": "⟦1⟧", "Unrecognized arguments: {names}.": "⟦{names}⟧", "usage": "⟦2⟧"}
    language.use("xx", catalogue=Catalogue(words))
    try:
        for typed, said in (("--help", "⟦1⟧"), ("--x=y a b", "⟦--x=y⟧")):
            with pytest.raises(SystemExit):
                call(["encode", *typed.split()])
            assert said in "".join(capsys.readouterr())
    finally:
        language.use("en")


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_catalogues_have_all_that_is_said_and_the_places_in_it(name):
    assert list(faults(name, wanted())) == []
