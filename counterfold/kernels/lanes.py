"""Sixteen numbers at once: explicit vector registers, for loops in which the compiler sees none.

A row of an array with 16 columns is loaded, added and stored as one value. Machines with
narrower registers take two or four of theirs for it.
"""

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, register_model

LANES = 16
_FLAGS = ("reassoc", "contract", "nsz")


class Lanes(types.Type):
    """The type of such a value."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(name=f"Lanes({dtype})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        item = ir.FloatType() if kind.dtype == types.float32 else ir.DoubleType()
        super().__init__(manager, kind, ir.VectorType(item, LANES))


def _check_rows(*arrays):
    """Sixteen neighbours in a row are loaded at once, so rows must be contiguous."""
    if any(array.layout != "C" or array.ndim != 2 for array in arrays):
        raise TypingError("lanes are rows of C-contiguous arrays")


def _whole(context, builder, kind, number):
    return context.cast(builder, number, kind, types.intp)


def _at(context, builder, kind, array, *index):
    """A pointer to 16 neighbours in an array."""
    made = context.make_array(kind)(context, builder, array)
    place = cgutils.get_item_pointer(context, builder, kind, made, index, wraparound=False)
    return builder.bitcast(place, context.get_value_type(Lanes(kind.dtype)).as_pointer())


def _aligned(instruction, dtype):
    instruction.align = dtype.bitwidth // 8
    return instruction


@intrinsic
def load(typing, array, row):
    """The 16 numbers of ``array[row]``."""
    _check_rows(array)

    def build(context, builder, signature, args):
        row = _whole(context, builder, signature.args[1], args[1])
        zero = ir.Constant(row.type, 0)
        place = _at(context, builder, signature.args[0], args[0], row, zero)
        return _aligned(builder.load(place), array.dtype)

    return Lanes(array.dtype)(array, row), build


@intrinsic
def store(typing, array, row, lanes):
    """``array[row] = lanes``."""
    _check_rows(array)

    def build(context, builder, signature, args):
        row = _whole(context, builder, signature.args[1], args[1])
        zero = ir.Constant(row.type, 0)
        place = _at(context, builder, signature.args[0], args[0], row, zero)
        _aligned(builder.store(args[2], place), array.dtype)
        return context.get_dummy_value()

    return types.void(array, row, lanes), build


@intrinsic
def splat(typing, number):
    """Sixteen times the same number."""

    def build(context, builder, signature, args):
        kind = context.get_value_type(Lanes(number))
        one = builder.insert_element(ir.Constant(kind, ir.Undefined), args[0], _lane(0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(one, one, zeros)

    return Lanes(number)(number), build


def _lane(k):
    return ir.Constant(ir.IntType(32), k)


def _binary(operation):
    @intrinsic
    def combined(typing, first, second):
        def build(context, builder, signature, args):
            return getattr(builder, operation)(args[0], args[1], flags=_FLAGS)

        return first(first, second), build

    return combined


add, sub, mul = _binary("fadd"), _binary("fsub"), _binary("fmul")


def _turned(builder, rows):
    """The transpose of 16 vectors of 16, in four rounds of exchanges."""
    mask = ir.VectorType(ir.IntType(32), LANES)
    for step in (1, 2, 4, 8):
        low = [16 + (k ^ step) if k & step else k for k in range(LANES)]
        high = [16 + k if k & step else k | step for k in range(LANES)]
        done = list(rows)
        for k in range(LANES):
            if not k & step:
                pair = rows[k], rows[k | step]
                done[k] = builder.shuffle_vector(*pair, ir.Constant(mask, low))
                done[k | step] = builder.shuffle_vector(*pair, ir.Constant(mask, high))
        rows = done
    return rows


def _chosen(context, builder, rows, index, first, column):
    """Pointers to ``rows[index[first + l], column]`` for 16 l; each is a type and a value."""
    first, column = (_whole(context, builder, *one) for one in (first, column))
    kind, made = index[0], context.make_array(index[0])(context, builder, index[1])
    for lane in range(LANES):
        place = builder.add(first, ir.Constant(first.type, lane))
        found = cgutils.get_item_pointer(context, builder, kind, made, [place], wraparound=False)
        number = _whole(context, builder, kind.dtype, builder.load(found))
        yield _at(context, builder, *rows, number, column)


def _lines(context, builder, lanes, row):
    """Pointers to ``lanes[row + j]`` for 16 j."""
    row = _whole(context, builder, *row)
    for line in range(LANES):
        at = builder.add(row, ir.Constant(row.type, line))
        yield _at(context, builder, *lanes, at, ir.Constant(row.type, 0))


def _transpose(builder, sources, targets, dtype):
    """The 16 vectors at some places, turned, to others."""
    found = [_aligned(builder.load(place), dtype) for place in sources]
    for vector, place in zip(_turned(builder, found), targets, strict=True):
        _aligned(builder.store(vector, place), dtype)


@intrinsic
def rows_to_lanes(typing, rows, index, first, column, lanes, row):
    """``lanes[row + j, l] = rows[index[first + l], column + j]`` for 16 j and 16 l."""
    _check_rows(rows, lanes)

    def build(context, builder, signature, args):
        given = list(zip(signature.args, args, strict=True))
        sources = _chosen(context, builder, *given[:4])
        _transpose(builder, sources, _lines(context, builder, *given[4:]), rows.dtype)
        return context.get_dummy_value()

    return types.void(rows, index, first, column, lanes, row), build


@intrinsic
def lanes_to_rows(typing, lanes, row, rows, index, first, column):
    """``rows[index[first + l], column + j] = lanes[row + j, l]`` for 16 j and 16 l."""
    _check_rows(rows, lanes)

    def build(context, builder, signature, args):
        given = list(zip(signature.args, args, strict=True))
        targets = _chosen(context, builder, *given[2:])
        _transpose(builder, _lines(context, builder, *given[:2]), targets, rows.dtype)
        return context.get_dummy_value()

    return types.void(lanes, row, rows, index, first, column), build


if numba.config.DISABLE_JIT:  # the same in plain Python

    def load(array, row):
        return array[row].copy()

    def store(array, row, lanes):
        array[row] = lanes

    def splat(number):
        return np.full(LANES, number)

    add, sub, mul = np.add, np.subtract, np.multiply

    def rows_to_lanes(rows, index, first, column, lanes, row):
        chosen = index[first : first + LANES].astype(np.int64)
        lanes[row : row + LANES] = rows[chosen, column : column + LANES].T

    def lanes_to_rows(lanes, row, rows, index, first, column):
        for lane in range(LANES):
            rows[index[first + lane], column : column + LANES] = lanes[row : row + LANES, lane]
