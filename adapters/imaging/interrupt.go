package imaging

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// stopAt is the address of the word that stops a decoder when it is not zero, and turnsAt that of the loops that are left
// until it gives way. C puts nothing there: they are near the null pointer.
const stopAt, turnsAt = 16, 20

// stopCheck gives way to Go once in 16,384 turns, and traps then if the word at stopAt is not zero. The collector stops all
// of Go, and would wait for the decoder: memory.grow by nothing is a call of Go, during which it does not.
var stopCheck = []byte{
	0x41, 0, 0x41, 0, 0x28, 2, turnsAt, 0x41, 1, 0x6b, 0x36, 2, turnsAt, // i32.store turnsAt (i32.load turnsAt - 1)
	0x41, 0, 0x28, 2, turnsAt, 0x41, 0, 0x48, 0x04, 0x40, // if turnsAt < 0
	0x41, 0, 0x41, 0x80, 0x80, 1, 0x36, 2, turnsAt, // i32.store turnsAt 16384
	0x41, 0, 0x40, 0, 0x1a, // memory.grow 0, drop
	0x41, 0, 0x28, 2, stopAt, 0x04, 0x40, 0x00, 0x0b, // if i32.load stopAt: unreachable, end
	0x0b, // end
}

var errWebAssembly = errors.New("unknown WebAssembly")

// interruptible returns the module with a stopCheck at the start of every loop. A decoder can't run for long without a
// loop. wazero can also end a call with its context, but then decoding takes four times as long.
func interruptible(module []byte) ([]byte, error) {
	const preamble, code = 8, 10
	if len(module) < preamble {
		return nil, errWebAssembly
	}
	in, out := &wasmReader{rest: module[preamble:]}, slices.Clone(module[:preamble])
	for len(in.rest) > 0 && in.err == nil {
		kind := in.bytes(1)
		section := in.bytes(in.number())
		if in.err == nil && kind[0] == code {
			section, in.err = interruptibleCode(section)
		}
		if in.err == nil {
			out = sized(append(out, kind...), section)
		}
	}
	return out, in.err
}

// interruptibleCode rewrites the section of the functions' bodies.
func interruptibleCode(section []byte) ([]byte, error) {
	in := &wasmReader{rest: section}
	count := in.number()
	out := binary.AppendUvarint(nil, uint64(count))
	for ; count > 0 && in.err == nil; count-- {
		body := &wasmReader{rest: in.bytes(in.number())}
		out = sized(out, body.interruptible())
		in.err = errors.Join(in.err, body.err)
	}
	return out, in.err
}

// sized appends the data with its length in front.
func sized(out, data []byte) []byte {
	return append(binary.AppendUvarint(out, uint64(len(data))), data...)
}

// wasmReader reads what is left of WebAssembly, until its first error.
type wasmReader struct {
	rest []byte
	err  error
}

func (r *wasmReader) bytes(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.rest) {
		r.err, r.rest = errors.Join(r.err, errWebAssembly), nil
		return make([]byte, 1)
	}
	read := r.rest[:n]
	r.rest = r.rest[n:]
	return read
}

// number reads a number without a sign.
func (r *wasmReader) number() int {
	n, length := binary.Uvarint(r.rest)
	if length <= 0 || n > 1<<31-1 {
		length = -1
	}
	r.bytes(length)
	return int(n)
}

// numbers skips numbers of any size, with or without a sign: the last byte of each is below 128.
func (r *wasmReader) numbers(count int) {
	for ; count > 0 && r.err == nil; count-- {
		for r.bytes(1)[0] >= 0x80 && r.err == nil {
		}
	}
}

// interruptible rewrites the body of a function.
func (r *wasmReader) interruptible() []byte {
	const loop = 0x03
	whole, checked := r.rest, []byte(nil)
	for locals := r.number(); locals > 0 && r.err == nil; locals-- {
		r.numbers(2)
	}
	from := 0
	for len(r.rest) > 0 && r.err == nil {
		instruction := r.bytes(1)[0]
		r.operands(instruction)
		if instruction == loop {
			at := len(whole) - len(r.rest)
			checked = append(append(checked, whole[from:at]...), stopCheck...)
			from = at
		}
	}
	return append(checked, whole[from:]...)
}

// operands skips what follows an instruction. The numbers are those of the binary format of WebAssembly 2.0, without
// vectors, which the decoders do not use.
func (r *wasmReader) operands(instruction byte) {
	switch i := instruction; {
	case i == 0x0e, i == 0x1c: // br_table: as many labels, and one; select: as many types
		r.numbers(r.number() + int(0x1c-i)/0x0e)
	case i == 0x11, 0x28 <= i && i <= 0x3e: // call_indirect; loads and stores
		r.numbers(2)
	case 0x02 <= i && i <= 0x04, i == 0x0c, i == 0x0d, i == 0x10, 0x20 <= i && i <= 0x26, 0x3f <= i && i <= 0x42, i == 0xd0, i == 0xd2:
		r.numbers(1) // blocks, branches, calls, variables, memory.size and grow, integers, references
	case i == 0x43: // f32.const
		r.bytes(4)
	case i == 0x44: // f64.const
		r.bytes(8)
	case i == 0xfc:
		r.bulkOperands()
	case i <= 0x01, i == 0x05, i == 0x0b, i == 0x0f, i == 0x1a, i == 0x1b, 0x45 <= i && i <= 0xc4, i == 0xd1: // no operands
	default:
		r.err = fmt.Errorf("%w: instruction %#x", errWebAssembly, i)
	}
}

// bulkOperands skips the rest of the instructions that convert numbers without a trap, or work on whole memories and
// tables.
func (r *wasmReader) bulkOperands() {
	operands := [...]int{0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1}
	n := r.number()
	if n >= len(operands) {
		r.err = fmt.Errorf("%w: bulk instruction %d", errWebAssembly, n)
		return
	}
	r.numbers(operands[n])
}
