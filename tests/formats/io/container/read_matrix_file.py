"""Reads .spress containers of version 2 with the standard library alone, written from formats/io/container_v2.md.

read(data) gives the matrix before any ordering. The program is read_container.py, which knows both versions.
"""

import collections
import functools
import heapq
import itertools
import pathlib
import struct

from read_container import HEADER, MASK64, decompress, integers, read_header, require, undo_bits, undo_delta, xxh64

PAGE = pathlib.Path(__file__).resolve().parents[4] / "formats/io/container_v2.md"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
MOST_ROWS = 2147483647
MOST_OF_SAME = 1 << 20
MOST_TIMES = 32768  # times the bytes stored: what a zstd frame may hold, and a block in rows or entries
MOST_CANDIDATES = 1024

SAME, PLAIN, BITS, PLANES, VARINT, CODED = range(6)
VALUE_TYPES = NONE, F64, C128 = "none", "double", "complex-double"
FOLD_SAME, FOLD_SIGN, FOLD_CONJUGATE, FOLD_APART = range(1, 5)

Matrix = collections.namedtuple("Matrix", "rows cols value_type comments entries")
Block = collections.namedtuple("Block", "row rows entries part")
Descriptor = collections.namedtuple(
    "Descriptor", "rows cols nnz value_type fold comments table row_order col_order blocks")


class Part:
    """Bytes that are read from the first to the last."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, size):
        require(size <= self.left(), "a part ends early")
        self.at += size
        return self.data[self.at - size:self.at]

    def byte(self):
        return self.take(1)[0]

    def u64(self):
        return int.from_bytes(self.take(8), "little")

    def varint(self):
        number = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                require(byte or not shift, "a varint has more bytes than it needs")
                require(number <= MASK64, "a varint has more than 64 bits")
                return number
        require(False, "a varint has more than 10 bytes")

    def text(self):
        try:
            return self.take(self.varint()).decode("utf-8")
        except UnicodeDecodeError:
            require(False, "a text is not UTF-8")

    def end(self):
        require(not self.left(), "bytes at the end of a part belong to nothing")


def signed(number):
    """The number whose zigzag this is."""
    return -(number >> 1) - 1 if number & 1 else number >> 1


# --- zstd without its magic number -----------------------------------------------------------------------------------

def content_size(frame):
    """What its header states, if the bytes are one frame (RFC 8878, 3.1.1)."""
    require(frame, "a zstd frame is empty")
    first, last = frame[0], False
    single_segment, has_checksum = first >> 5 & 1, first & 4
    width, begin = (single_segment, 2, 4, 8)[first >> 6], 2 - single_segment
    require(width and not first & 3, "a zstd frame names a dictionary, or not its content size")
    at = begin + width
    while not last and at + 3 <= len(frame):
        block = int.from_bytes(frame[at:at + 3], "little")
        last, is_repeated_byte = block & 1, (block >> 1 & 3) == 1
        at += 3 + (1 if is_repeated_byte else block >> 3)
    require(last and at + has_checksum == len(frame), "not exactly one zstd frame")
    return int.from_bytes(frame[begin:begin + width], "little") + (256 if width == 2 else 0)


def decompress_frame(frame, dictionary=b""):
    size = content_size(frame)
    require(size <= MOST_TIMES * len(frame), "a zstd frame claims too much")
    content = decompress(ZSTD_MAGIC + frame, size, dictionary)
    require(len(content) == size, "a zstd frame holds another size than it states")
    return content


# --- Streams ---------------------------------------------------------------------------------------------------------

def varints(data, count, width, differences):
    require(count <= len(data), "a part ends early")
    part = Part(data)
    numbers = [part.varint() for _ in range(count)]
    part.end()
    require(max(numbers) < 1 << 8 * width, "a number is wider than its stream")
    return undo_delta([signed(n) % (1 << 8 * width) for n in numbers], width) if differences else numbers


def stream(part, count, widest=4):
    if not count:
        return []
    first = part.byte()
    layout, differences, width, compressed = first & 7, first & 8, 1 << (first >> 4 & 3), first & 0x80
    require(layout < CODED and not first & 0x40, "a stream of unknown layout")
    require(width <= widest, "a stream is too wide")
    if layout == SAME:
        require(not differences and not compressed and count <= MOST_OF_SAME, "a stream of one number is wrong")
        return [int.from_bytes(part.take(width), "little")] * count
    require(not (layout == BITS and compressed), "packed bits are compressed")
    require(width > 1 or layout not in (PLANES, VARINT), "a stream of this layout has too small a width")
    data = part.take(part.varint())
    if compressed:
        data = decompress_frame(data)
    if layout == VARINT:
        return varints(data, count, width, differences)
    if layout == BITS:
        require(len(data) > 2 * width, "a part ends early")
        numbers = undo_bits(data, count, width)
    else:
        require(len(data) == count * width, "a stream has another length")
        if layout == PLANES:
            data = bytes(data[p * count + i] for i in range(count) for p in range(width))
        numbers = integers(data, width)
    return undo_delta(numbers, width) if differences else numbers


# --- Patterns: the columns of each row of a block, ascending ---------------------------------------------------------

def largest_column(head, row):
    return row if head.fold else head.cols - 1


def lengths_of_rows(part, rows, listed):
    if not listed:
        return stream(part, rows)
    count = part.varint()
    require(count <= rows, "more rows with entries than rows")
    skipped, lengths = stream(part, count), [0] * rows
    row = -1
    for skip, less_one in zip(skipped, stream(part, count)):
        row += skip + 1
        require(row < rows, "more rows than the block has")
        lengths[row] = less_one + 1
    return lengths


def pattern_gaps(part, block, head):
    first_byte = part.byte()
    anchor, apart, listed = first_byte & 3, first_byte & 4, first_byte & 8
    require(first_byte < 16 and anchor < 3, "a pattern of unknown kind")
    lengths = lengths_of_rows(part, block.rows, listed)
    require(sum(lengths) == block.entries, "the lengths of rows do not add up to the block's entries")
    count_apart = sum(length > 0 for length in lengths) if apart else 0
    firsts = iter(stream(part, count_apart))
    others = iter(stream(part, block.entries - count_apart))
    rows, before = [], 0
    for row, length in enumerate(lengths, block.row):
        columns = []
        if length:
            first = signed(next(firsts if apart else others))
            gaps = [next(others) + 1 for _ in range(length - 1)]
            if anchor == 2:
                columns = list(itertools.accumulate([row - first, *(-gap for gap in gaps)]))[::-1]
            else:
                columns = list(itertools.accumulate([(row if anchor else before) + first, *gaps]))
            require(0 <= columns[0] and columns[-1] <= largest_column(head, row), "a column is out of range")
            before = columns[0]
        rows.append(columns)
    return rows


class BitModel:
    __slots__ = ("zero", "seen")

    def __init__(self):
        self.zero, self.seen = 32768, 0


class NumberModel:
    def __init__(self):
        self.longer = [BitModel() for _ in range(32)]
        self.below = [[BitModel() for _ in range(4)] for _ in range(33)]


class RangeCoder:
    def __init__(self, data):
        self.part = Part(data)
        self.code, self.range = int.from_bytes(self.part.take(4), "big"), 0xFFFFFFFF

    def split(self, zero):
        bound = (self.range >> 16) * zero
        if self.code < bound:
            bit, self.range = 0, bound
        else:
            bit, self.code, self.range = 1, self.code - bound, self.range - bound
        while self.range < 1 << 24:
            self.range, self.code = self.range << 8, self.code << 8 | self.part.byte()
        return bit

    def bit(self, model):
        bit = self.split(model.zero)
        rate = (model.seen + 1).bit_length()
        model.zero += -(model.zero >> rate) if bit else (65536 - model.zero) >> rate
        model.seen = min(model.seen + 1, 63)
        return bit

    def number(self, model):
        bits = 0
        while bits < 32 and self.bit(model.longer[bits]):
            bits += 1
        if bits < 2:
            return bits
        modelled, number = min(bits - 1, 2), 1
        for _ in range(modelled):
            number = 2 * number + self.bit(model.below[bits][number])
        for _ in range(bits - 1 - modelled):
            number = 2 * number + self.split(32768)
        return number


class Candidates:
    """Columns that a row may have, with votes and seeds."""

    def __init__(self, most):
        self.most, self.known, self.heap = most, {}, []

    def add(self, columns, votes, seeds):
        columns = [column for column in columns if column <= self.most]
        if len(self.known) + len(columns) > MOST_CANDIDATES:
            return
        for column in columns:
            if column not in self.known:
                heapq.heappush(self.heap, -column)
            v, s = self.known.get(column, (0, 0))
            self.known[column] = min(v + votes, 3), s | seeds

    def largest(self):
        return -self.heap[0] if self.heap else -1

    def pop(self):
        column = -heapq.heappop(self.heap)
        return column, *self.known.pop(column)


def few_bits(number, most):
    return min(number.bit_length(), most)


class Predicted:
    """The rows of a block that is coded with the help of the rows before."""

    def __init__(self, part, block, head):
        options, self.window = part.byte(), part.byte()
        require(options < 4, "a pattern of unknown kind")
        self.shifted, self.neighbours = options & 1, options & 2
        require(part.byte() == CODED, "a predicted pattern is not coded")
        data = part.take(part.varint())
        require(block.rows + block.entries <= 4096 * len(data), "a coded stream claims too much")
        self.coder, self.block, self.head = RangeCoder(data), block, head
        self.rows, self.entries, self.named_before, self.others_before = [], 0, 0, 0
        self.named = [NumberModel() for _ in range(2)]
        self.others = [NumberModel() for _ in range(16)]
        self.first_other = NumberModel()
        self.gaps = [NumberModel() for _ in range(8)]
        self.flags = [BitModel() for _ in range(256)]

    def read(self):
        for row in range(self.block.row, self.block.row + self.block.rows):
            candidates = Candidates(largest_column(self.head, row))
            self.start(candidates)
            others = self.read_others(row, candidates)
            columns = self.walk(row, candidates, others)
            self.entries += len(columns)
            self.others_before = len(others)
            self.rows.append(columns[::-1])
        require(self.entries == self.block.entries, "the rows do not add up to the block's entries")
        self.coder.part.end()
        return self.rows

    def start(self, candidates):
        back = 0
        if self.window:
            back = self.coder.number(self.named[1 if self.named_before else 0])
            require(back <= min(self.window, len(self.rows)), "a row is named that is not there")
        if self.shifted and self.rows:
            candidates.add([column + 1 for column in self.rows[-1]], 0, 1)
        if back:
            candidates.add(self.rows[-back], 0, 2)
        self.named_before = back

    def read_others(self, row, candidates):
        """From the largest down."""
        count = self.coder.number(self.others[4 * few_bits(len(candidates.known), 3) + few_bits(self.others_before, 3)])
        require(self.entries + count <= self.block.entries, "the rows do not add up to the block's entries")
        others, gap = [], 0
        for i in range(count):
            if i == 0:
                others.append(row - signed(self.coder.number(self.first_other)))
            else:
                gap = self.coder.number(self.gaps[few_bits(gap, 7)])
                others.append(others[-1] - gap - 1)
        require(not others or 0 <= others[-1] and others[0] <= candidates.most, "a column is out of range")
        return others

    def walk(self, row, candidates, others):
        """The columns of the row, from the largest down."""
        columns, history, others = [], 0, collections.deque(others)
        while candidates.heap or others:
            if not others or candidates.largest() > others[0]:
                column, votes, seeds = candidates.pop()
                bit = self.coder.bit(self.flags[((4 * seeds + votes) * 4 + history) * 4 + min(len(columns), 3)])
                history = (2 * history + bit) & 3
                if not bit:
                    continue
            else:
                column = others.popleft()
                require(column != candidates.largest(), "a column is a candidate as well")
            columns.append(column)
            if self.neighbours and len(columns) <= 32 and self.block.row <= column < row:
                candidates.add([c for c in self.rows[column - self.block.row] if c < column], 1, 0)
        return columns


class Copied:
    """The rows of a block that are copied from rows before."""

    def __init__(self, part, block, head):
        self.named = part.byte()
        require(self.named < 2, "a pattern of unknown kind")
        self.block, self.head, self.rows = block, head, []
        self.references = stream(part, block.rows)
        self.others = stream(part, block.rows)
        require(sum(self.others) <= block.entries, "the rows do not add up to the block's entries")
        self.masks = [self.read_masks(part) for _ in range(8)]
        require(sum(map(len, self.masks)) <= block.entries + 5 * block.rows, "more masks than there may be")
        listed = sum(count > 0 for count in self.others)
        self.firsts = iter(stream(part, listed))
        self.gaps = iter(stream(part, sum(self.others) - listed))

    @staticmethod
    def read_masks(part):
        return collections.deque(stream(part, part.varint(), 1))

    def read(self):
        for row, (reference, count) in enumerate(zip(self.references, self.others), self.block.row):
            leader, candidates = self.candidates(row, reference)
            columns = [*self.flagged(candidates), *self.read_others(row if leader is None else leader, count)]
            if leader is not None:
                columns.append(leader)
            columns.sort()
            require(len(set(columns)) == len(columns), "a row has a column twice")
            require(not columns or 0 <= columns[0] and columns[-1] <= largest_column(self.head, row),
                    "a column is out of range")
            self.rows.append(columns)
        require(sum(map(len, self.rows)) == self.block.entries, "the rows do not add up to the block's entries")
        require(not any(self.masks), "more masks than are used")
        return self.rows

    def candidates(self, row, reference):
        """The column that names the row to copy, if there is one, and the candidates."""
        if not reference:
            return None, [row]
        if self.named:
            require(reference <= len(self.rows), "a row is named that is not there")
            return None, [*self.rows[-reference], row]
        leader = row - reference
        require(0 <= leader, "a column is out of range")
        return leader, [*(self.rows[leader - self.block.row] if leader >= self.block.row else []), row]

    def flagged(self, candidates):
        for begin in range(0, len(candidates), 8):
            some = candidates[begin:begin + 8]
            require(self.masks[len(some) - 1], "too few masks")
            mask = self.masks[len(some) - 1].popleft()
            require(mask < 1 << len(some), "a mask has too many flags")
            yield from (column for bit, column in enumerate(some) if mask >> bit & 1)

    def read_others(self, start, count):
        if not count:
            return []
        gaps = [next(self.gaps) + 1 for _ in range(count - 1)]
        return itertools.accumulate([start - signed(next(self.firsts)), *(-gap for gap in gaps)])


def read_pattern(part, block, head):
    """The rows, and whether the values, and those above the diagonal, stand column after column."""
    first_byte = part.byte()
    kind = first_byte & 63
    require(kind < 3, "a pattern of unknown kind")
    require(not first_byte & 64 or head.value_type != NONE, "an order of values that are not there")
    require(not first_byte & 128 or (head.fold == FOLD_APART and head.value_type != NONE), "an order of values that are not there")
    rows = pattern_gaps(part, block, head) if kind == 0 else (Predicted if kind == 1 else Copied)(part, block, head).read()
    return rows, first_byte & 64, first_byte & 128


# --- Values, as bytes ------------------------------------------------------------------------------------------------

def words(part, count):
    return [struct.pack("<Q", number) for number in stream(part, count, 8)]


def widened(single):
    """The bits of an f32 as an f64; those of a NaN by hand, as a conversion may change them."""
    if single >> 23 & 0xFF == 0xFF:
        return struct.pack("<Q", single >> 31 << 63 | 0x7FF << 52 | (single & 0x7FFFFF) << 29)
    return struct.pack("<d", *struct.unpack("<f", struct.pack("<I", single)))


def singles(part, count):
    return [widened(number) for number in stream(part, count)]


def decimals(part, count):
    digits, exponents = ([signed(number) for number in stream(part, count, widest)] for widest in (8, 2))
    require(all(-400 <= e <= 400 for e in exponents), "an exponent is out of range")
    numbers = [struct.pack("<d", float(f"{d}e{e}")) for d, e in zip(digits, exponents)]
    count_others = part.varint()
    require(count_others <= count, "more others than numbers")
    at, skipped = -1, stream(part, count_others)
    for skip, other in zip(skipped, words(part, count_others)):
        at += skip + 1
        require(at < count, "an other is out of range")
        numbers[at] = other
    return numbers


def read_numbers(part, count):
    if not count:
        return []
    kind = part.byte()
    require(kind < 3, "values of unknown kind")
    return (words, singles, decimals)[kind](part, count)


def read_values(part, count, value_type):
    if value_type == NONE:
        return [b""] * count
    if value_type == C128 and count and part.data[part.at:part.at + 1] == b"\3":
        part.byte()
        parts = read_numbers(part, 2 * count)
        return [real + imaginary for real, imaginary in zip(parts[::2], parts[1::2])]
    reals = read_numbers(part, count)
    if value_type == F64:
        return reals
    return [real + imaginary for real, imaginary in zip(reals, read_numbers(part, count))]


def read_table(part, value_type):
    count = part.varint()
    require(count, "the table of values is empty")
    table = read_values(part, count, value_type)
    part.end()
    return table


def values_of_entries(part, count, head, table):
    if not table:
        return read_values(part, count, head.value_type)
    codes = stream(part, count)
    require(all(code < len(table) for code in codes), "a number is outside the table")
    return [table[code] for code in codes]


def mirrored(value, fold):
    """The value above the diagonal for one below it."""
    flipped = bytes(byte ^ 0x80 if i % 8 == 7 else byte for i, byte in enumerate(value))  # both signs
    return {FOLD_SAME: value, FOLD_SIGN: flipped, FOLD_CONJUGATE: value[:8] + flipped[8:]}[fold]


# --- Blocks ----------------------------------------------------------------------------------------------------------

@functools.cache
def words_of_comments():
    """The dictionary of comments."""
    return PAGE.read_bytes().split(b"\n~~~\n")[1] + b"\n"


def read_comments(part):
    size = part.varint()
    if part.left() == size:
        comments = part.take(size)
    else:
        comments = decompress_frame(part.take(part.left()), words_of_comments())
    require(len(comments) == size, "the comments have another length")
    lines = comments.split(b"\n")
    require(not lines.pop() and all(line.lstrip().startswith(b"%") for line in lines), "a line is no comment")
    return comments


def read_order(part, count):
    order = stream(part, count)
    part.end()
    require(sorted(order) == list(range(count)), "an order repeats or misses a number")
    return order


def in_rows(values, entries, by_columns):
    """The values in the order of the entries, which go row after row."""
    if not by_columns:
        return values
    order = sorted(range(len(entries)), key=lambda i: entries[i][1])  # keeps the order of rows
    return [value for _, value in sorted(zip(order, values))]


def read_rows(block, head, table):
    """(row, column, value) of the block's entries and those that its fold adds."""
    rows, by_columns, above_by_columns = read_pattern(block.part, block, head)
    places = [(row, column) for row, columns in enumerate(rows, block.row) for column in columns]
    values = in_rows(values_of_entries(block.part, len(places), head, table), places, by_columns)
    entries = [(row, column, value) for (row, column), value in zip(places, values)]
    below = [entry for entry in entries if entry[0] != entry[1]] if head.fold else []
    if head.fold == FOLD_APART:
        values = in_rows(values_of_entries(block.part, len(below), head, table), below, above_by_columns)
    else:
        values = [mirrored(value, head.fold) for _, _, value in below]
    block.part.end()
    return entries + [(column, row, value) for (row, column, _), value in zip(below, values)]


# --- The file --------------------------------------------------------------------------------------------------------

def read_place(part, blocks):
    """The next block, whose place the descriptor has here."""
    stored, checksum = blocks.take(part.varint()), part.u64()
    require(xxh64(stored) == checksum, "a block's checksum does not match")
    return Part(stored)


def read_blocks_of_rows(part, blocks, rows):
    found, row = [], 0
    for _ in range(part.varint()):
        count, entries = part.varint(), part.varint()
        block = Block(row, count, entries, read_place(part, blocks))
        require(1 <= count <= rows - row, "the rows of the blocks do not add up")
        require(max(count, entries) <= max(1 << 20, MOST_TIMES * block.part.left()), "a block claims too much")
        found.append(block)
        row += count
    require(row == rows, "the rows of the blocks do not add up")
    return found


def read_descriptor(part, blocks):
    first, second = part.byte(), part.byte()
    require(first >> 4 & 3 < 3, "values of unknown type")
    value_type, fold, col_order = VALUE_TYPES[first >> 4 & 3], second & 7, second >> 6
    rows, cols, nnz = part.varint(), part.varint(), part.varint()
    part.varint(), part.varint(), part.text(), part.text()  # of the source, for people
    if first & 0x80:
        part.u64()
    require(rows <= MOST_ROWS and cols <= MOST_ROWS, "too many rows or columns")
    require(fold <= FOLD_APART and (not fold or rows == cols), "a fold that cannot be")
    needed = {FOLD_SIGN: (F64, C128), FOLD_CONJUGATE: (C128,), FOLD_APART: (F64, C128)}
    require(value_type in needed.get(fold, VALUE_TYPES), "a fold that goes with other values")
    require(not second & 16 or value_type != NONE, "a table of values that there are none of")
    require(col_order < 3 and (col_order != 1 or second & 32 and rows == cols), "an order of columns that cannot be")
    comments, table, row_place, col_place = (
        read_place(part, blocks) if there else None
        for there in (second & 8, second & 16, second & 32, col_order == 2))
    found = read_blocks_of_rows(part, blocks, rows)
    part.end()
    blocks.end()
    stored = sum(block.entries for block in found)
    require(stored <= nnz if fold else stored == nnz, "the entries of the blocks do not add up")
    row_order = read_order(row_place, rows) if row_place else range(rows)
    col_order = row_order if col_order == 1 else read_order(col_place, cols) if col_place else range(cols)
    return Descriptor(rows, cols, nnz, value_type, fold, read_comments(comments) if comments else b"",
                      read_table(table, value_type) if table else None, row_order, col_order, found)


def read(data):
    """The Matrix that the bytes of a file hold, its entries (row, column, value bytes) sorted."""
    version, offset = read_header(data)
    require(version == 2, f"version {version} is unknown here")
    head = read_descriptor(Part(data[offset:]), Part(data[HEADER.size:offset]))
    entries = sorted((head.row_order[row], head.col_order[column], value)
                     for block in head.blocks for row, column, value in read_rows(block, head, head.table))
    require(len(entries) == head.nnz, "another number of entries than nnz")
    return Matrix(head.rows, head.cols, head.value_type, head.comments, entries)
