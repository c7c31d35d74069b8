"""Packs, checks and signs what is shipped. Run by package.sh and build.sh.

    package.py archive FOLDER ARCHIVE
    package.py check [--exports SYMBOL] [--without TEXT]... TARGET FILE
    package.py sign FILE

archive: packs a folder into an archive that depends on nothing but its files: a zip if its name has .zip in it, else a
gzipped tar. All is in a folder of FOLDER's name.

check: TARGET is what a library or a program was built for, see build.sh. FILE must be for that machine, import only what
each such system has, be stripped and hold none of the texts, which are paths of this machine. With --exports it is a
library that exports SYMBOL. Prints a line about a good file, and the problems of a bad one.

sign: signs each architecture of a library or program for macOS, without a name ("ad hoc"). Macs with Apple processors run
nothing that is not signed, and Zig signs before the symbols are stripped. Zig also makes the UUIDs of symbols that have
the paths of this machine; here they are made of the bytes that are left.
"""

import argparse
import gzip
import hashlib
import os
import re
import sys
import tarfile
import zipfile

try:  # The packages of requirements.txt, which an archive needs not.
    import apple_platform
    import pefile
    from elftools.elf.dynamic import DynamicSection
    from elftools.elf.elffile import ELFFile
    from elftools.elf.gnuversions import GNUVerNeedSection
    from macholib import mach_o
    from macholib.MachO import MachO
    from macholib.SymbolTable import SymbolTable
except ImportError as error:
    MISSING = error
else:
    MISSING = None

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


ELF_LIBRARY = re.compile(r"(lib(c|m|dl|pthread|rt)|ld-linux-(x86-64|aarch64))\.so\.\d")
# The C runtime of Windows 10, and what every Windows has.
DLL = re.compile(r"(api-ms-win-(crt|core)-[a-z0-9-]+|bcryptprimitives|kernel32|ntdll|userenv|ws2_32)\.dll", re.IGNORECASE)
# Addresses are random and of 64 bits; data cannot be executed.
DLL_FLAGS = 0x0020 | 0x0040 | 0x0100
MACOS_LIBRARY = re.compile(r"/usr/lib/.+|/System/Library/Frameworks/.+")
INSTALL_NAME = "@rpath/libvarbatch.macos.universal.dylib"
# 11.0, as a load command has it.
OLDEST_MACOS = 11 << 16


def check_elf(path, target, exported):
    """Yields the problems of a file for Linux, and ends with what it needs."""
    machine, _, oldest_glibc = re.fullmatch(r"(\w+)-unknown-linux-gnu(\.(\d+\.\d+))?", target).groups()
    with open(path, "rb") as file:
        elf = ELFFile(file)
        if elf["e_machine"] != {"x86_64": "EM_X86_64", "aarch64": "EM_AARCH64"}[machine]:
            yield f"is for {elf['e_machine']}"
        for segment in elf.iter_segments("PT_GNU_STACK"):
            if segment["p_flags"] & 1:
                yield "has a stack that can be executed"
        versions = []
        for section in elf.iter_sections():
            if section.name == ".symtab" or section.name.startswith(".debug"):
                yield f"is not stripped: {section.name}"
            if isinstance(section, DynamicSection):
                for tag in section.iter_tags():
                    if tag.entry.d_tag == "DT_NEEDED" and not ELF_LIBRARY.fullmatch(tag.needed):
                        yield f"imports {tag.needed}"
                    if tag.entry.d_tag in ("DT_RPATH", "DT_RUNPATH"):
                        yield f"has a {tag.entry.d_tag}"
            if isinstance(section, GNUVerNeedSection):
                for _, needed in section.iter_versions():
                    versions += [version.name for version in needed]
        glibc = [tuple(map(int, name[6:].split("."))) for name in versions if re.fullmatch(r"GLIBC_[\d.]+", name)]
        needed = ".".join(map(str, max(glibc)))
        if oldest_glibc is not None and max(glibc) > tuple(map(int, oldest_glibc.split("."))):
            yield f"needs glibc {needed}, not {oldest_glibc}"
        if exported is not None:
            found = elf.get_section_by_name(".dynsym").get_symbol_by_name(exported)
            if not found or found[0]["st_shndx"] == "SHN_UNDEF":
                yield f"does not export {exported}"
    return f"Linux {machine}, needs glibc {needed}"


def check_pe(path, _target, exported):
    """Yields the problems of a file for Windows, and ends with what it needs."""
    pe = pefile.PE(path)
    if pe.FILE_HEADER.Machine != pefile.MACHINE_TYPE["IMAGE_FILE_MACHINE_AMD64"]:
        yield f"is for {pefile.MACHINE_TYPE.get(pe.FILE_HEADER.Machine)}"
    if pe.OPTIONAL_HEADER.DllCharacteristics & DLL_FLAGS != DLL_FLAGS:
        yield f"lacks protections: {pe.OPTIONAL_HEADER.DllCharacteristics:#x}"
    names = [section.Name.rstrip(b"\0").decode() for section in pe.sections]
    if pe.FILE_HEADER.PointerToSymbolTable or any(name.startswith((".debug", "/")) for name in names):
        yield f"is not stripped: {' '.join(names)}"
    imports = [entry.dll.decode() for entry in pe.DIRECTORY_ENTRY_IMPORT]
    for dll in imports:
        if not DLL.fullmatch(dll):
            yield f"imports {dll}"
    if exported is not None:
        exports = getattr(pe, "DIRECTORY_ENTRY_EXPORT", None)
        if not pe.is_dll() or exports is None or exported.encode() not in [symbol.name for symbol in exports.symbols]:
            yield f"does not export {exported}"
    return "Windows x86-64, needs the UCRT of Windows 10"


def check_macho(path, _target, exported):
    """Yields the problems of a file for macOS, and ends with what it needs."""
    macho = MachO(path)
    headers = {str(mach_o.CPU_TYPE_NAMES[header.header.cputype]): header for header in macho.headers}
    if sorted(headers) != ["ARM64", "x86_64"]:
        yield f"is for {' '.join(headers)}"
    for machine, header in headers.items():
        commands = {load.cmd: (command, data) for load, command, data in header.commands}
        oldest = commands[mach_o.LC_BUILD_VERSION][0].minos
        if oldest != OLDEST_MACOS:
            yield f"{machine}: needs macOS {oldest >> 16}.{oldest >> 8 & 0xff}"
        if exported is not None:
            name = commands[mach_o.LC_ID_DYLIB][1].rstrip(b"\0").decode()
            if name != INSTALL_NAME:
                yield f"{machine}: its install name is {name}"
        for _, _, name in header.walkRelocatables():
            if name != INSTALL_NAME and not MACOS_LIBRARY.fullmatch(name):
                yield f"{machine}: imports {name}"
        symbols = SymbolTable(macho, header)
        first, count = symbols.dysymtab.ilocalsym, symbols.dysymtab.nlocalsym
        # Zig's linker keeps hidden functions of C in a program.
        names = [name for entry, name in symbols.nlists[first : first + count] if not entry.n_type & mach_o.N_PEXT]
        if names:
            yield f"{machine}: is not stripped: {len(names)} local symbols, such as {names[0].decode()}"
        if exported is not None and b"_" + exported.encode() not in [name for _, name in symbols.extdefsyms]:
            yield f"{machine}: does not export {exported}"
    # It is signed without a name, so it has no certificate. What counts is that its bytes are those that were signed.
    signature = [problem["description"] for problem in apple_platform.verify_macho(path)]
    signature = [problem for problem in signature if not re.search(r"CMS error|no cryptographic signature", problem)]
    if signature:
        yield f"has a bad signature: {signature[0]}"
    return f"macOS {' '.join(headers)}, needs 11.0, signed"


class Wasm:
    """The sections of a module of WebAssembly: https://webassembly.github.io/spec/core/binary/modules.html"""

    def __init__(self, data):
        self.data = data
        self.at = 8

    def number(self):
        value, shift = 0, 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def name(self):
        length = self.number()
        self.at += length
        return self.data[self.at - length : self.at].decode()

    def sections(self):
        """Yields the id of each section, and is at its contents then."""
        while self.at < len(self.data):
            kind, end = self.data[self.at], 0
            self.at += 1
            end = self.number() + self.at
            yield kind
            self.at = end

    def limits(self):
        if self.number() & 1:
            self.number()
        self.number()

    def imports(self):
        for _ in range(self.number()):
            module, name = self.name(), self.name()
            kind = self.number()
            yield module, name
            if kind == 0:  # a function
                self.number()
            elif kind == 1:  # a table
                self.number()
                self.limits()
            elif kind == 2:  # memory
                self.limits()
            else:  # a global variable, or a tag
                self.at += 2

    def exports(self):
        for _ in range(self.number()):
            yield self.name()
            self.number()
            self.number()


def check_wasm(path, _target, exported):
    """Yields the problems of a side module for browsers, and ends with what it needs."""
    with open(path, "rb") as file:
        wasm = Wasm(file.read())
    if not wasm.data.startswith(b"\0asm\1\0\0\0"):
        yield "is no module of WebAssembly"
    imports, exports, custom = [], [], []
    for kind in wasm.sections():
        if kind == 0:
            custom.append(wasm.name())
        elif kind == 2:
            imports += wasm.imports()
        elif kind == 7:
            exports += wasm.exports()
    if custom[:1] != ["dylink.0"]:
        yield "is no side module"
    if "name" in custom or any(name.startswith(".debug") for name in custom):
        yield f"is not stripped: {' '.join(custom)}"
    for module, name in imports:
        # Official engines have no exceptions of Wasm.
        if name == "__cpp_exception" or name.startswith("_Unwind_"):
            yield f"imports {name} of {module}"
    if exported is not None and exported not in exports:
        yield f"does not export {exported}"
    return "browsers, needs a template with extensions"


def check(path, target, exported, without):
    """Prints about the file, and returns whether it is good."""
    kinds = {"windows": check_pe, "apple": check_macho, "emscripten": check_wasm}
    kind = next((kind for system, kind in kinds.items() if system in target), check_elf)
    problems, about = [], ""
    steps = kind(path, target, exported)
    while True:
        try:
            problems.append(next(steps))
        except StopIteration as end:
            about = end.value
            break
    with open(path, "rb") as file:
        content = file.read()
    problems += [f"holds the path {text}" for text in without if text.encode() in content]

    name = os.path.basename(path)
    for problem in problems:
        print(f"{name}: {problem}", file=sys.stderr)
    if not problems:
        print(f"{name:40} {len(content):>10,}  {about}")
    return not problems


HEADER_LEN = 32
COMMAND_LEN = 8
UUID_LEN = 16


def uuid_offsets(path):
    """Returns where the UUID of each architecture is."""
    offsets = []
    for header in MachO(path).headers:
        at = header.offset + HEADER_LEN
        for load, _, _ in header.commands:
            if load.cmd == mach_o.LC_UUID:
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


def sign(path):
    set_uuids(path, bytes(UUID_LEN))
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).digest()
    set_uuids(path, digest[:UUID_LEN])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("archive")
    command.add_argument("folder")
    command.add_argument("archive")
    command = commands.add_parser("check")
    command.add_argument("--exports", metavar="SYMBOL")
    command.add_argument("--without", metavar="TEXT", action="append", default=[])
    command.add_argument("target")
    command.add_argument("file")
    commands.add_parser("sign").add_argument("file")
    args = parser.parse_args()
    if args.command == "archive":
        write = write_zip if ".zip" in os.path.basename(args.archive) else write_tar
        write(os.path.abspath(args.folder), args.archive)
        return 0
    if MISSING:
        raise MISSING
    if args.command == "sign":
        sign(args.file)
        return 0
    return 0 if check(args.file, args.target, args.exports, args.without) else 1


if __name__ == "__main__":
    sys.exit(main())
