#!/usr/bin/env python3
"""Reads .spress containers with the standard library alone, written from formats/io/container.md and docs/formats.
Those of version 2 are read by read_matrix_file.py.

    read_container.py FILE                     the matrix as text: "rows cols nnz type", then "row col bits" per entry
    read_container.py FILE --compare FILE.mtx  the same entries, bit for bit? (also FILE.mtx.gz)
    read_container.py --check-folder DIR       each DIR/x.spress against the text in DIR/x.txt, and once more damaged

Rows and columns count from 0 and are those of the matrix before any ordering. Exit: 0 good, 1 different, 2 damaged,
77 no zstd on this system.
"""

import argparse
import ctypes
import gzip
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

sys.modules.setdefault("read_container", sys.modules[__name__])  # read_matrix_file imports from here

MASK64 = (1 << 64) - 1
MAGIC = b"\x89SPR\r\n\x1a\n"
HEADER = struct.Struct("<8sIIQQQQ")
WIDTHS = {"u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "u64": 8, "i64": 8,
          "f32": 4, "f64": 8, "c64": 8, "c128": 16}
CODES = {"u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "u64": "Q", "i64": "q",
         "f32": "f", "f64": "d"}
MATRIX_FILE = "version 2"  # stands for a format
VALUE_BYTES = {"none": 0, "float": 4, "double": 8, "complex-double": 16}


class Damaged(Exception):
    pass


class UnknownFormat(Exception):
    """Every block is sound, but this reader does not know how to rebuild the matrix."""


def require(condition, message):
    if not condition:
        raise Damaged(message)


# --- XXH64, seed 0 ---------------------------------------------------------------------------------------------------

P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                      0x27D4EB2F165667C5)


def rotate(x, r):
    return ((x << r) | (x >> (64 - r))) & MASK64


def mix(lane, word):
    return rotate((lane + word * P2) & MASK64, 31) * P1 & MASK64


def xxh64(data):
    at, n = 0, len(data)
    if n >= 32:
        lanes = [(P1 + P2) & MASK64, P2, 0, -P1 & MASK64]
        while at + 32 <= n:
            lanes = [mix(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(rotate(lane, r) for lane, r in zip(lanes, (1, 7, 12, 18))) & MASK64
        for lane in lanes:
            h = ((h ^ mix(0, lane)) * P1 + P4) & MASK64
    else:
        h = P5
    h = (h + n) & MASK64
    while at + 8 <= n:
        h = (rotate(h ^ mix(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4) & MASK64
        at += 8
    if at + 4 <= n:
        h = (rotate(h ^ struct.unpack_from("<I", data, at)[0] * P1 & MASK64, 23) * P2 + P3) & MASK64
        at += 4
    for byte in data[at:]:
        h = rotate(h ^ byte * P5 & MASK64, 11) * P1 & MASK64
    h = (h ^ h >> 33) * P2 & MASK64
    h = (h ^ h >> 29) * P3 & MASK64
    return h ^ h >> 32


# --- zstd, from wherever the system has it ------------------------------------------------------------------------------

def zstd_library():
    for name in ("libzstd.so.1", "libzstd.so", "libzstd.1.dylib", "libzstd.dylib"):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        library.ZSTD_isError.argtypes = [ctypes.c_size_t]
        library.ZSTD_createDCtx.restype = ctypes.c_void_p
        library.ZSTD_freeDCtx.argtypes = [ctypes.c_void_p]
        library.ZSTD_decompress_usingDict.restype = ctypes.c_size_t
        library.ZSTD_decompress_usingDict.argtypes = [
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
            ctypes.c_size_t]
        return library
    return None


LIBRARY = zstd_library()


def decompress(stored, most, dictionary=b""):
    """The contents of one zstd frame, at most `most` bytes."""
    if LIBRARY is None:
        with tempfile.NamedTemporaryFile() as file:
            file.write(dictionary)
            file.flush()
            command = ["zstd", "-dcq"] + (["-D", file.name] if dictionary else [])
            done = subprocess.run(command, input=stored, capture_output=True, check=False)
        require(done.returncode == 0 and len(done.stdout) <= most, "zstd cannot decompress a block")
        return done.stdout
    room = ctypes.create_string_buffer(max(most, 1))
    context = LIBRARY.ZSTD_createDCtx()
    got = LIBRARY.ZSTD_decompress_usingDict(context, room, most, stored, len(stored), dictionary, len(dictionary))
    LIBRARY.ZSTD_freeDCtx(context)
    require(not LIBRARY.ZSTD_isError(got), "zstd cannot decompress a block")
    return room.raw[:got]


# --- Blocks ----------------------------------------------------------------------------------------------------------

def integers(data, width):
    return list(struct.unpack(f"<{len(data) // width}{CODES[f'u{8 * width}']}", data))


def undo_bits(data, count, width):
    bits, first, base = data[0], data[1:1 + width], int.from_bytes(data[1 + width:1 + 2 * width], "little")
    packed = data[1 + 2 * width:]
    require(1 <= bits <= min(56, 8 * width) and len(packed) == ((count - 1) * bits + 7) // 8, "packed bits do not fit")
    elements = [int.from_bytes(first, "little")]
    for i in range(count - 1):
        word = int.from_bytes(packed[i * bits // 8:i * bits // 8 + 8], "little")
        elements.append((base + (word >> i * bits % 8 & (1 << bits) - 1)) % (1 << 8 * width))
    return elements


def undo_delta(elements, width):
    for i in range(1, len(elements)):
        elements[i] = (elements[i] + elements[i - 1]) % (1 << 8 * width)
    return elements


def decode_block(stored, block, width):
    raw, steps = block["raw"], block["transform"].split("+")
    require(xxh64(stored) == int(block["checksum"], 16), "a block's checksum does not match")
    require(0 < raw <= 64 << 20 and raw % width == 0, "a block's size is wrong")
    data, count = stored, raw // width
    if steps[-1] == "zstd":
        data = decompress(stored, raw + 1 + 2 * width)
        steps.pop()
    if "bits" in steps:
        elements = undo_bits(data, count, width)
        data = struct.pack(f"<{count}{CODES[f'u{8 * width}']}", *elements)
    elif "planes" in steps:
        require(len(data) == raw, "a block's size is wrong")
        data = bytes(data[p * count + i] for i in range(count) for p in range(width))
    if "delta" in steps:
        elements = undo_delta(integers(data, width), width)
        data = struct.pack(f"<{count}{CODES[f'u{8 * width}']}", *elements)
    require(len(data) == raw, "a block's size is wrong")
    require(set(steps) <= {"none", "delta", "planes", "bits"}, f"unknown transform {block['transform']}")
    return data


# --- The file --------------------------------------------------------------------------------------------------------

def no_repeated_keys(pairs):
    require(len({key for key, _ in pairs}) == len(pairs), "a key appears twice")
    return dict(pairs)


def read_header(data):
    """The version and the offset of the descriptor, whose checksum is right."""
    require(data[:8] == MAGIC[:len(data[:8])], "not a .spress file")
    require(len(data) >= HEADER.size, "ends within the header")
    _, version, flags, offset, size, checksum, header_checksum = HEADER.unpack_from(data)
    require(xxh64(data[:40]) == header_checksum, "the header's checksum does not match")
    require(version in (1, 2) and flags == 0, f"version {version}, flags {flags} are unknown here")
    require(offset >= HEADER.size and offset + size == len(data), "has another length than its header says")
    require(xxh64(data[offset:]) == checksum, "the descriptor's checksum does not match")
    return version, offset


def read_version_2(data):
    """Likewise, but the only array holds the entries of the matrix before any ordering."""
    import read_matrix_file  # which needs this module

    matrix = read_matrix_file.read(data)
    scalars = {"rows": matrix.rows, "cols": matrix.cols, "nnz": len(matrix.entries), "value_type": matrix.value_type}
    descriptor = {"format": MATRIX_FILE, "scalars": scalars, "ordering": {"row_perm": None, "col_perm": None}}
    return descriptor, {"entries": matrix.entries}


def read(data):
    """The descriptor and the arrays by name, as bytes."""
    version, offset = read_header(data)
    if version == 2:
        return read_version_2(data)
    descriptor = json.loads(data[offset:].decode("utf-8"), object_pairs_hook=no_repeated_keys)
    arrays, at = {}, HEADER.size
    for array in descriptor["arrays"]:
        pieces, width = [], WIDTHS[array["type"]]
        for block in array["blocks"]:
            require(at + block["stored"] <= offset, "a block reaches into the descriptor")
            pieces.append(decode_block(data[at:at + block["stored"]], block, width))
            at += block["stored"]
        arrays[array["name"]] = (array["type"], b"".join(pieces))
        require(len(arrays[array["name"]][1]) == array["count"] * width, f"{array['name']} has another length")
    require(at == offset, "bytes in front of the descriptor belong to no block")
    return descriptor, arrays


def numbers(arrays, name):
    kind, data = arrays[name]
    return struct.unpack(f"<{len(data) // WIDTHS[kind]}{CODES[kind]}", data)


# --- Formats ---------------------------------------------------------------------------------------------------------

def values_of(scalars, arrays):
    """The bytes of each value, in stored order."""
    kind, store, count = scalars["value_type"], scalars["value_store"], scalars["value_count"]
    width = VALUE_BYTES[kind]
    if kind == "none":
        return [b""] * count
    codes, table = arrays["values"][1], arrays["value_table"][1]
    if store == "raw":
        return [codes[i * width:(i + 1) * width] for i in range(count)]
    if store == "iso":
        return [table[:width]] * count
    if store == "narrow":
        return [struct.pack("<f" if kind == "float" else "<d", code) for code in numbers(arrays, "values")]
    return [table[code * width:(code + 1) * width] for code in numbers(arrays, "values")]


def places_csr(_, arrays):
    row_ptr, col_idx = numbers(arrays, "row_ptr"), numbers(arrays, "col_idx")
    for row in range(len(row_ptr) - 1):
        for k in range(row_ptr[row], row_ptr[row + 1]):
            yield row, col_idx[k]


def places_coo(_, arrays):
    return zip(numbers(arrays, "row_idx"), numbers(arrays, "col_idx"))


def places_opt_csr(scalars, arrays):
    row_ptr, first_col = numbers(arrays, "row_ptr"), numbers(arrays, "first_col")
    row_perm, start = numbers(arrays, "row_perm"), numbers(arrays, "section_start")
    index = scalars["index"]
    for section, bits in enumerate((8, 16, 32)):
        codes = numbers(arrays, f"col{bits}")
        base = row_ptr[start[section]]
        for i in range(start[section], start[section + 1]):
            row = row_perm[i] if row_perm else i
            for k in range(row_ptr[i], row_ptr[i + 1]):
                code, first = codes[k - base], k == row_ptr[i]
                if index == "diagonal" or (index == "anchored" and first):
                    col = row + (code - (1 << bits) if code >> (bits - 1) else code)
                else:
                    col = first_col[i] if first else col + code
                yield row, col


def places_of_block(block_row, block_col, bitmap):
    for bit in range(64):
        if bitmap >> bit & 1:
            yield block_row * 8 + bit // 8, block_col * 8 + bit % 8


def places_bmsparse(_, arrays):
    for key, bitmap in zip(numbers(arrays, "keys"), numbers(arrays, "bitmaps")):
        yield from places_of_block(key >> 32, key & 0xFFFFFFFF, bitmap)


def places_bmsparse_csr(_, arrays):
    ptr, block_col, bitmaps = (numbers(arrays, name) for name in ("block_row_ptr", "block_col", "bitmaps"))
    for block_row in range(len(ptr) - 1):
        for block in range(ptr[block_row], ptr[block_row + 1]):
            yield from places_of_block(block_row, block_col[block], bitmaps[block])


def places_hybrid_bm_csr(scalars, arrays):
    def part(prefix, named):
        return {name[len(prefix):]: item for name, item in named.items() if name.startswith(prefix)}

    yield from places_bmsparse_csr(part("bm_", scalars), part("bm_", arrays))
    yield from places_opt_csr(part("csr_", scalars), part("csr_", arrays))


def entries_amb(scalars, arrays):
    start, length, window, perm, present = (
        numbers(arrays, name) for name in ("chunk_start", "chunk_length", "window", "perm", "present"))
    block_col, step_col, wide_col = (numbers(arrays, name) if name in arrays else ()
                                     for name in ("block_col", "step_col", "wide_col"))
    columns, none = (wide_col, 0xFFFFFFFF) if wide_col else (block_col, 0xFFFF)
    values, block = values_of(scalars, arrays), scalars["block"]
    for chunk, lane in ((chunk, lane) for chunk in range(scalars["chunks"]) for lane in range(32)):
        row = window[chunk] * scalars["sigma"] + perm[32 * chunk + lane]
        of_segment = 0 if wide_col or step_col else (length[chunk] >> 16) * scalars["segment"]
        for step in range(length[chunk] & 0xFFFF):
            slot = start[chunk] + 32 * step + lane
            if columns[slot] == none:
                continue
            col = (step_col[slot // 32] if step_col else of_segment) + columns[slot]
            for t in range(block):
                i = (slot - lane) * block + 32 * t + lane
                if not present or present[i // 32] >> i % 32 & 1:
                    yield row, col + t, values[i]


def entries_bsr(scalars, arrays):
    block_ptr, block_col, present = (numbers(arrays, name) for name in ("block_ptr", "block_col", "present"))
    values, r, c = values_of(scalars, arrays), scalars["r"], scalars["c"]
    for block_row, (begin, end) in enumerate(zip(block_ptr, block_ptr[1:])):
        for b in range(begin, end):
            for i in range(r * c * b, r * c * (b + 1)):
                t, s = divmod(i - r * c * b, r)
                if not present or present[i // 32] >> i % 32 & 1:
                    yield r * block_row + s, c * block_col[b] + t, values[i]


def entries_yaspmv(scalars, arrays):
    first_col, first_row, far_start, col_diff, far, row_end, block_row, present = (numbers(arrays, name) for name in (
        "first_col", "first_row", "far_start", "col_diff", "far", "row_end", "block_row", "present"))
    values, r, c, blocks = values_of(scalars, arrays), scalars["r"], scalars["c"], scalars["blocks"]
    for group, first in enumerate(range(0, blocks, 512)):
        steps, h, far_at = min(16, (blocks - first + 31) // 32), first_row[group], far_start[group]
        block_col = first_col[group]
        for b in range(first, min(blocks, first + 512)):
            difference = col_diff[b]
            if difference == 0x8000:
                difference, far_at = far[far_at], far_at + 1
            elif difference > 0x8000:
                difference -= 0x10000
            block_col = (block_col + difference) % 2**32
            lane, step = divmod(b - first, steps)
            for s in range(r * c):
                i = (first + 32 * step) * r * c + 32 * s + lane
                if not present or present[i // 32] >> i % 32 & 1:
                    yield r * (block_row[h] if block_row else h) + s % r, c * block_col + s // r, values[i]
            h += row_end[b // 32] >> b % 32 & 1


NO_COLUMN = 0xFFFFFFFF  # marks padding


def places_ell(scalars, arrays):
    for slot, col in enumerate(numbers(arrays, "col_idx")):
        yield None if col == NO_COLUMN else (slot % scalars["rows"], col)


def places_sell(scalars, arrays):
    start, col_idx, row_perm = numbers(arrays, "slice_start"), numbers(arrays, "col_idx"), numbers(arrays, "row_perm")
    c = scalars["c"]
    for s, (begin, end) in enumerate(zip(start, start[1:])):
        for slot in range(begin, end):
            i, col = s * c + (slot - begin) % c, col_idx[slot]
            yield None if col == NO_COLUMN else (row_perm[i] if row_perm else i, col)


def places_hyb(scalars, arrays):
    rows, col_idx, rest = scalars["rows"], numbers(arrays, "col_idx"), numbers(arrays, "coo_row_idx")
    for slot, col in enumerate(col_idx[:rows * scalars["width"]]):
        yield None if col == NO_COLUMN else (slot % rows, col)
    yield from zip(rest, col_idx[rows * scalars["width"]:])


def places_ell_csr(scalars, arrays):
    col_idx, row_perm, first = numbers(arrays, "col_idx"), numbers(arrays, "row_perm"), numbers(arrays, "warp_row")
    start, csr_start = numbers(arrays, "warp_start"), numbers(arrays, "csr_warp_start")
    for w, width in enumerate(numbers(arrays, "warp_width")):
        threads = max(1, -(-width // scalars["per_thread"]))
        lanes = (first[w + 1] - first[w]) * threads
        for slot in range(start[w], start[w + 1]):
            i, col = first[w] + (slot - start[w]) % lanes // threads, col_idx[slot]
            yield None if col == NO_COLUMN else (row_perm[i] if row_perm else i, col)
    for p, row in enumerate(numbers(arrays, "csr_warp_row")):
        i = scalars["ell_rows"] + row
        for k in range(csr_start[p], csr_start[p + 1]):
            yield row_perm[i] if row_perm else i, col_idx[scalars["ell_slots"] + k]


def value_from_table(scalars, arrays):
    """The function that gives a value of a table "lut" by its index."""
    width, table = VALUE_BYTES[scalars["value_type"]], arrays["lut"][1]
    return lambda code: table[code * width:(code + 1) * width]


def entries_bccoo(scalars, arrays):
    data, offset, width = arrays["data"][1], numbers(arrays, "offset"), VALUE_BYTES[scalars["value_type"]]
    from_table = value_from_table(scalars, arrays)
    for row, at, end in zip(numbers(arrays, "row"), offset, offset[1:]):
        col = 0
        while at < end:
            key, step = data[at], data[at] & 0x7F
            at += 1
            if step == 0x7F:
                row += 1
                continue
            if step == 0x7E:
                col, at = int.from_bytes(data[at:at + 4], "little"), at + 4
            elif step == 0x7D:
                col, at = col + int.from_bytes(data[at:at + 2], "little"), at + 2
            else:
                col += step
            size = 1 if key & 0x80 else width
            yield row, col, from_table(data[at]) if key & 0x80 else data[at:at + size]
            at += size


def entries_bccoo_gpu(scalars, arrays):
    data, offset, width = arrays["data"][1], numbers(arrays, "offset"), VALUE_BYTES[scalars["value_type"]]
    from_table = value_from_table(scalars, arrays)
    chunks = zip(numbers(arrays, "row"), numbers(arrays, "column"), numbers(arrays, "format"), offset, offset[1:])
    for row, column, coding, begin, end in chunks:
        value_at = 1 + (1 << (coding & 3))
        size = value_at + (1 if coding & 4 else width)
        for at in range(begin, end, size):
            col = column + int.from_bytes(data[at + 1:at + value_at], "little")
            yield row + data[at], col, from_table(data[at + value_at]) if coding & 4 else data[at + value_at:at + size]


def places_slice_delta(scalars, arrays):
    words, residuals = numbers(arrays, "words"), numbers(arrays, "residuals")
    first_word, long_row, perm = numbers(arrays, "first_word"), numbers(arrays, "long_row"), numbers(arrays, "row_perm")
    residual_start = numbers(arrays, "residual_start")
    rows, sigma, block = scalars["rows"], scalars["sigma"], scalars["block"]
    slices = (rows + 31) // 32
    for item, at in enumerate(first_word):
        piece = item >= slices
        stored = [item * 32 + lane for lane in range(32)]
        row = [long_row[item - slices]] * 32 if piece else [
            i - i % sigma + perm[i] if perm and i < rows else i for i in stored]
        column = [r - r % block + (lane if piece else 0) for lane, r in enumerate(row)]
        steps, wide = words[at - 1] & 0xFFFF, words[at - 1] >> 16 & 1
        padded = (steps + 3) // 4 * 4
        masks, bits_at = at + padded * (1 + wide), residual_start[item]
        for turn in range(0, steps, 4):
            count = min(4, steps - turn)
            masked = any(words[at + turn + u] >> 6 & 1 for u in range(count))
            turn_masks = words[masks:masks + count] if masked else [0xFFFFFFFF] * count
            lanes = [[lane for lane in range(32) if mask >> lane & 1] for mask in turn_masks]
            widths = [words[at + turn + u] & 63 for u in range(count)]
            full = count == 4 and not masked
            used = sum(widths) if full else sum((len(lanes[u]) * widths[u] + 31) // 32 for u in range(count))
            bits = sum(word << 32 * k for k, word in enumerate(residuals[bits_at:bits_at + used]))
            bits_at += used
            found, before = [], 0
            for u in range(count):
                base = words[at + turn + u] >> 7
                if wide:
                    base = words[at + padded + turn + u]
                elif base >> 24:
                    base -= 1 << 25
                column = [(c + base) % 2**32 for c in column]
                for rank, lane in enumerate(lanes[u]):
                    bit = before + (lane * sum(widths) if full else rank * widths[u])
                    residual = bits >> bit & (1 << widths[u]) - 1
                    if not piece:
                        column[lane] = (column[lane] + residual) % 2**32
                    found.append((lane, row[lane], (column[lane] + residual) % 2**32 if piece else column[lane]))
                before += widths[u] if full else (len(lanes[u]) * widths[u] + 31) // 32 * 32
            if masked:
                masks += 4
            elif scalars["lane_steps"] == 4 and count == 4:
                found.sort(key=lambda entry: entry[0])  # stable: the steps of a lane stay in order
            yield from ((r, c) for _, r, c in found)


# Formats that hold values among the indices, or filling among the values.
ENTRIES = {"amb": entries_amb, "bccoo": entries_bccoo, "bccoo-gpu": entries_bccoo_gpu, "bsr": entries_bsr,
           "yaspmv": entries_yaspmv, MATRIX_FILE: lambda _, arrays: arrays["entries"]}
PLACES = {"ell": places_ell, "ell-csr": places_ell_csr, "hyb": places_hyb, "sell": places_sell, "slice-delta": places_slice_delta,
          "bcoo": places_coo, "bmsparse": places_bmsparse, "bmsparse-csr": places_bmsparse_csr, "coo": places_coo,
          "csr": places_csr, "hybrid-bm-csr": places_hybrid_bm_csr, "opt-csr": places_opt_csr}


def entries_of(descriptor, arrays):
    """(row, column, value bytes) of each entry of the matrix before any ordering, sorted."""
    scalars, ordering = descriptor["scalars"], descriptor["ordering"]
    name, version = descriptor["format"], descriptor.get("format_version", 1)
    if name not in PLACES and name not in ENTRIES:
        raise UnknownFormat(f"no rule here to rebuild a matrix from format {name}")
    if version != 1:
        raise UnknownFormat(f"no rule here for version {version} of the layout of format {name}, only for version 1")
    if name in ENTRIES:
        found = ENTRIES[name](scalars, arrays)
    else:
        places = PLACES[name](scalars, arrays)
        slots = zip(places, values_of(scalars, arrays), strict=True)
        found = ((*place, value) for place, value in slots if place is not None)  # None is padding
    row_perm = numbers(arrays, ordering["row_perm"]) if ordering["row_perm"] else range(scalars["rows"])
    col_perm = numbers(arrays, ordering["col_perm"]) if ordering["col_perm"] else range(scalars["cols"])
    entries = sorted((row_perm[row], col_perm[col], value) for row, col, value in found)
    require(len(entries) == scalars["nnz"], "another number of entries than nnz")
    return entries


def dump(descriptor, entries):
    """The matrix as text. Each number of a value is shown as the hexadecimal digits of its bits."""
    scalars = descriptor["scalars"]
    part = 4 if scalars["value_type"] == "float" else 8
    lines = [f"{scalars['rows']} {scalars['cols']} {len(entries)} {scalars['value_type']}"]
    for row, col, value in entries:
        parts = [value[i:i + part][::-1].hex() for i in range(0, len(value), part)]
        lines.append(" ".join([str(row), str(col), *parts]))
    return "\n".join(lines) + "\n"


# --- Comparing -------------------------------------------------------------------------------------------------------

def matrix_market(path):
    """(row, column, value bytes) of each entry of a coordinate file, symmetric halves expanded, sorted."""
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
        _, _, _, field, symmetry = next(lines).lower().split()
        body = (line.split() for line in lines if line.strip() and not line.startswith("%"))
        next(body)
        entries = {}
        for words in body:
            row, col, parts = int(words[0]) - 1, int(words[1]) - 1, [float(word) for word in words[2:]]
            entries[row, col] = struct.pack(f"<{len(parts)}d", *parts)
            if symmetry != "general" and row != col:
                if symmetry == "skew-symmetric":
                    parts = [-part for part in parts]
                elif symmetry == "hermitian":
                    parts[1] = -parts[1]
                entries[col, row] = struct.pack(f"<{len(parts)}d", *parts)
    return sorted((row, col, value) for (row, col), value in entries.items())


def check_folder(folder):
    """Each container against its text, where its format is known here; one flipped bit in each must be found."""
    files = sorted(pathlib.Path(folder).glob("*.spress"))
    wrong, unknown = 0, set()
    for number, path in enumerate(files):
        data = path.read_bytes()
        try:
            same = dump(*(lambda d, a: (d, entries_of(d, a)))(*read(data))) == path.with_suffix(".txt").read_text()
        except (Damaged, ValueError, KeyError, IndexError) as error:
            print(f"{path.name}: {error!r}", file=sys.stderr)
            same = False
        except UnknownFormat as error:
            unknown.add(str(error))
            same = True
        flipped = bytearray(data)
        flipped[number * 7919 % len(data)] ^= 1 << number % 8
        try:
            read(bytes(flipped))
            print(f"{path.name}: a flipped bit goes unnoticed", file=sys.stderr)
            same = False
        except Damaged:
            pass
        wrong += not same
    for message in sorted(unknown):
        print(f"only the blocks were checked: {message}")
    print(f"{len(files)} containers, {wrong} wrong")
    return 1 if wrong or not files else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", metavar="FILE")
    parser.add_argument("--compare", metavar="FILE.mtx")
    parser.add_argument("--check-folder", metavar="DIR")
    arguments = parser.parse_args()
    if LIBRARY is None and shutil.which("zstd") is None:
        print("neither libzstd nor the command zstd is installed", file=sys.stderr)
        return 77
    if arguments.check_folder:
        return check_folder(arguments.check_folder)
    if not arguments.file:
        parser.error("FILE is missing")
    try:
        descriptor, arrays = read(pathlib.Path(arguments.file).read_bytes())
        entries = entries_of(descriptor, arrays)
    except (Damaged, UnknownFormat) as error:
        print(f"{arguments.file}: {error}", file=sys.stderr)
        return 2
    if not arguments.compare:
        sys.stdout.write(dump(descriptor, entries))
        return 0
    same = entries == matrix_market(arguments.compare)
    print("same" if same else "different")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
