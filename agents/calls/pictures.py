"""The pictures of a card that go to the model as they are, as far as it takes them."""

from __future__ import annotations

from collections.abc import Iterator

from agents.calls.pdf import Unreadable
from agents.prompt import Source
from agents.providers.base import Image
from bakedbrie.lib import storage
from boards.models import CardFile

TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
MOST_PICTURES = 8
MOST_BYTES = 3_700_000  # 5 MB as base64, which is what providers take of one
MOST_BYTES_TOGETHER = 12_000_000
TOKENS = 5_000  # guessed from above: providers make larger pictures smaller before they count


class Pictures:
    """Takes pictures one by one while there is room for them: at most half of the ``room`` for the prompt."""

    def __init__(self, *, room: int, is_taken: bool) -> None:
        self._is_taken = is_taken
        self._most = min(MOST_PICTURES, room // 2 // TOKENS)
        self._files: list[CardFile] = []
        self._images: list[Image] = []

    @property
    def images(self) -> tuple[Image, ...]:
        return tuple(self._images)

    @property
    def tokens(self) -> int:
        return len(self._images) * TOKENS

    def take(self, file: CardFile) -> None:
        """Take one more, or raise `Unreadable`, which says why not."""
        if not self._is_taken:
            raise Unreadable("pictures cannot be sent to this AI account")
        if len(self._images) >= self._most:
            raise Unreadable("there is no room for another picture")
        if file.bytes > MOST_BYTES or file.bytes + sum(len(one.data) for one in self._images) > MOST_BYTES_TOGETHER:
            raise Unreadable("it is too large to send")
        try:
            with storage.open_file(file.storage_key) as stream:
                data = stream.read(MOST_BYTES)
        except FileNotFoundError:
            raise Unreadable("it was removed meanwhile") from None
        self._images.append(Image(media_type=file.media_type, data=data))
        self._files.append(file)

    def source(self) -> Iterator[Source]:
        """Yield the list of what was taken, so that each picture has its name; nothing without any."""
        if self._files:
            yield Source(
                kind="pictures",
                title="the pictures that come with this message, in their order",
                text="\n".join(f"{n}. {file.name}" for n, file in enumerate(self._files, 1)),
                record={"files": [{"id": str(file.pk), "sha256": file.sha256} for file in self._files]},
                rank=1,
            )
