"""PDFs, made by hand."""


def pdf(*pages: str, title: str = "") -> bytes:
    """A PDF with a page for each of ``pages``, in Latin letters; its lines are set one below the other."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, text in enumerate(pages):
        drawn = " ".join(f"({line}) Tj 0 -14 Td" for line in text.split("\n"))
        content = f"BT /F1 12 Tf 72 720 Td {drawn} ET".encode("cp1252")
        used = "/Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
        objects += (
            f"<< /Type /Page {used} /Contents {5 + 2 * number} 0 R >>".encode(),
            b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content),
        )
    objects.append(f"<< /Title ({title}) >>".encode("cp1252"))
    return _file(objects)


def _file(objects: list[bytes]) -> bytes:
    """The file that holds ``objects``, the first of them its root and the last what is said about it."""
    written, places = b"%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    trailer = b"<< /Size %d /Root 1 0 R /Info %d 0 R >>" % (size, len(objects))
    head = b"xref\n0 %d\n0000000000 65535 f \n%btrailer\n%b\n" % (size, table, trailer)
    return written + head + b"startxref\n%d\n%%%%EOF\n" % len(written)
