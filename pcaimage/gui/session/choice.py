"""How an image is compressed, as far as its components depend on it. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

from pcaimage.codec import Basis
from pcaimage.sampling import Bands, Blocks, Channels, Lapped, Sampling, Stack


@dataclass(frozen=True)
class Choice:
    """What a fit depends on.

    Parameters
    ----------
    method : str
        ``"photo"``, ``"bands"``, ``"blocks"``, ``"channels"`` or ``"stack"``.
    block : int
        Pixels along a block's side.
    standardize : bool
        Whether features are divided by their standard deviations.
    basis : Basis
        Whose components a photo's blocks have.
    """

    method: str = "photo"
    block: int = 8
    standardize: bool = False
    basis: Basis = Basis.AUTO

    def sampling(self) -> Sampling:
        """Return what a sample is.

        Returns
        -------
        Sampling
            By method and block size.
        """
        return {
            "photo": Lapped(),
            "blocks": Blocks(self.block),
            "channels": Channels(),
            "bands": Bands(),
            "stack": Stack(),
        }[self.method]

    @classmethod
    def of(cls, sampling: Sampling, *, standardize: bool) -> Choice:
        """Return the choice that a file was made with.

        Parameters
        ----------
        sampling : Sampling
            What a sample is.
        standardize : bool
            Whether features are standardised.

        Returns
        -------
        Choice
            The choice.
        """
        if isinstance(sampling, Blocks):
            return cls("blocks", sampling.size, standardize)
        names: dict[type[Sampling], str] = {
            Lapped: "photo",
            Channels: "channels",
            Bands: "bands",
            Stack: "stack",
        }
        return cls(names[type(sampling)], standardize=standardize)
