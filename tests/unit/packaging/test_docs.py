"""What the documentation says is so: links lead somewhere, commands work, and figures are stored."""

import check_docs
import pytest

RUN = [page for page in check_docs.pages() if page.startswith(("README", "docs/"))]


def test_links_lead_somewhere_and_words_of_commands_are_theirs():
    assert len(RUN) > 15
    assert check_docs.broken_links() == []
    assert check_docs.spelling() == []
    assert check_docs.mistakes(wrong("pcaimage encode a.png"))
    assert check_docs.mistakes(wrong("make nothing"))


def wrong(line):
    return check_docs.Command("docs/cli.md", 1, tuple(line.split()), "")


def test_figures_are_those_of_stored_results():
    assert check_docs.wrong_figures() == []


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN)
def test_commands_do_what_they_should(page, tmp_path, monkeypatch):
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    assert check_docs.run(page, tmp_path / "here") == []
