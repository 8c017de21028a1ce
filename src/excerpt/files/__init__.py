"""Opening, decompressing and replacing files: the only place that touches the file system for data."""

from excerpt.files.reading import (
    STDIN,
    Content,
    Input,
    Readable,
    describe,
    display_name,
    expand,
    is_folder,
    is_input,
    keep_content,
    read_beginning,
    read_bytes,
    read_once,
    require_path,
    stdin,
)
from excerpt.files.writing import replacing_folder, write_bytes, writing

__all__ = [
    "STDIN",
    "Content",
    "Input",
    "Readable",
    "describe",
    "display_name",
    "expand",
    "is_folder",
    "is_input",
    "keep_content",
    "read_beginning",
    "read_bytes",
    "read_once",
    "replacing_folder",
    "require_path",
    "stdin",
    "write_bytes",
    "writing",
]
