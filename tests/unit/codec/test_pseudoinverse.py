import numpy as np
import pytest

from pcaimage.codec.coding.pseudoinverse import pseudoinverse


@pytest.mark.parametrize("left_out", [[], [0], [1, 2, 6], [0, 1, 2, 3, 4, 5, 6]])
@pytest.mark.parametrize("n_features", [7, 48, 192])
def test_components_that_are_left_out_get_no_score_and_change_no_other(left_out, n_features):
    rng = np.random.default_rng(n_features)
    components = np.linalg.qr(rng.normal(size=(n_features, n_features)))[0]
    rows = np.rint(components * 1024) / 1024
    rows[left_out] = 0
    kept = np.delete(np.arange(n_features), left_out)
    inverse = pseudoinverse(rows)
    assert inverse.shape == (n_features, n_features)
    assert not inverse[:, left_out].any()
    assert np.allclose(rows[kept] @ inverse[:, kept], np.eye(len(kept)), atol=1e-12)
