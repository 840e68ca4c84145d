"""Asking for memory before it is needed, so that the wait for it passes with other work."""

import numba

__all__ = ["prefetch"]

if numba.config.DISABLE_JIT:

    def prefetch(array, at):
        """Nothing, where kernels are not compiled."""

else:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def prefetch(_, array, at):
        """Ask for the cache line of an element of a flat array, to be read and written soon."""

        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            place = builder.gep(data, [arguments[1]])
            place = builder.bitcast(place, ir.IntType(8).as_pointer())
            number = ir.IntType(32)
            form = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
            called = builder.module.declare_intrinsic("llvm.prefetch", [place.type], form)
            builder.call(called, [place, number(1), number(3), number(1)])  # to write, keep, data
            return context.get_dummy_value()

        return types.void(array, at), generate
