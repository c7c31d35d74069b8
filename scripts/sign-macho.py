"""Signs each architecture of a library or program for macOS, without a name ("ad hoc"). Run by build.sh, with the Python
packages of lib-cross.sh.

    sign-macho.py FILE

Macs with Apple processors run nothing that is not signed, and Zig signs before the symbols are stripped. Zig also makes
the UUIDs of symbols that have the paths of this machine; here they are made of the bytes that are left.
"""

import hashlib
import sys

import apple_platform
from macholib.mach_o import LC_UUID
from macholib.MachO import MachO

HEADER_LEN = 32
COMMAND_LEN = 8
UUID_LEN = 16


def uuid_offsets(path):
    """Returns where the UUID of each architecture is."""
    offsets = []
    for header in MachO(path).headers:
        at = header.offset + HEADER_LEN
        for load, _, _ in header.commands:
            if load.cmd == LC_UUID:
                offsets.append(at + COMMAND_LEN)
            at += load.cmdsize
    return offsets


def set_uuids(path, uuid):
    """Gives all architectures this UUID, and signs them."""
    with open(path, "r+b") as file:
        for at in uuid_offsets(path):
            file.seek(at)
            file.write(uuid)
    apple_platform.sign(path, binary_identifier="varbatch")


def main():
    (path,) = sys.argv[1:]
    set_uuids(path, bytes(UUID_LEN))
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).digest()
    set_uuids(path, digest[:UUID_LEN])


main()
