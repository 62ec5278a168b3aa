"""Small PDF files, written by hand."""

from __future__ import annotations

import io
import zlib

from pypdf import PdfReader, PdfWriter


def make_pdf(*pages: str, content: bytes | None = None) -> bytes:
    """Return a PDF with one line of text a page; ``content`` is a page's own drawing orders instead."""
    streams = [f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode("latin-1") for text in pages]
    if content is not None:
        streams.append(content)
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(streams)))
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(streams)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, stream in enumerate(streams):
        packed = zlib.compress(stream)
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R "
        bodies.append(page.encode() + b"/Resources << /Font << /F1 3 0 R >> >> >>")
        head = f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode()
        bodies.append(head + packed + b"\nendstream")
    return _file(bodies)


def protect(pdf: bytes, *, user_password: str) -> bytes:
    """Return the PDF, to be opened with a password; an empty one lets everybody read."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf)))
    writer.encrypt(user_password=user_password, owner_password="owner", algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _file(bodies: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(bodies, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    out += f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n{table}".encode()
    out += f"trailer\n<< /Size {len(bodies) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
