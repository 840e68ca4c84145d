"""Asking for memory before it is needed, so that the wait for it passes with other work."""

import numba

__all__ = ["prefetch", "prefetch_to_read"]

if numba.config.DISABLE_JIT:

    def prefetch(array, at):
        """Nothing, where kernels are not compiled."""

    prefetch_to_read = prefetch

else:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def _asking(writes):
        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            place = builder.gep(data, [arguments[1]])
            place = builder.bitcast(place, ir.IntType(8).as_pointer())
            number = ir.IntType(32)
            form = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
            called = builder.module.declare_intrinsic("llvm.prefetch", [place.type], form)
            builder.call(called, [place, number(writes), number(3), number(1)])  # keep, data
            return context.get_dummy_value()

        return generate

    @intrinsic
    def prefetch(_, array, at):
        """Ask for the cache line of an element of an array, to be read and written soon.

        Elements are numbered as they lie in memory, in 64 bits.
        """
        return types.void(array, at), _asking(1)

    @intrinsic
    def prefetch_to_read(_, array, at):
        """Ask for the cache line of an element of an array, to be read soon."""
        return types.void(array, at), _asking(0)
