"""Packs a folder into an archive that depends on nothing but its files. Run by package.sh.

    archive.py FOLDER ARCHIVE

ARCHIVE is a zip if its name has .zip in it, else a gzipped tar. All is in a folder of FOLDER's name.
"""

import gzip
import os
import sys
import tarfile
import zipfile

# The oldest time of a zip.
TIME = (1980, 1, 1, 0, 0, 0)


def files(folder):
    """Yields each file with its name in the archive and its mode, in a fixed order."""
    top = os.path.dirname(folder)
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            yield path, os.path.relpath(path, top), 0o755 if os.access(path, os.X_OK) else 0o644


def write_zip(folder, archive):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for path, name, mode in files(folder):
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            with open(path, "rb") as file:
                out.writestr(entry, file.read())


def write_tar(folder, archive):
    with open(archive, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as out:
            for path, name, mode in files(folder):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = os.path.getsize(path), mode
                entry.mtime = 315532800
                with open(path, "rb") as file:
                    out.addfile(entry, file)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    (write_zip if ".zip" in os.path.basename(sys.argv[2]) else write_tar)(os.path.abspath(sys.argv[1]), sys.argv[2])
