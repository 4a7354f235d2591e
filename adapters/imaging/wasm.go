package imaging

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"unsafe"

	_ "github.com/gen2brain/avif" // has the decoder
	_ "github.com/gen2brain/heic" // has the decoder
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// The packages that have the decoders also run them, but without a bound of their memory and without an end of their
// time. So only their WebAssembly is used: libheif with libde265, and libavif with libaom.

//go:linkname heicDecoder github.com/gen2brain/heic.heifWasm
var heicDecoder []byte

//go:linkname avifDecoder github.com/gen2brain/avif.decodeWasm
var avifDecoder []byte

var (
	libheif = newModule(func() ([]byte, error) { return uncompressed(heicDecoder) })
	libavif = newModule(func() ([]byte, error) { return uncompressed(avifDecoder) })
)

// module returns the code of a decoder. It is compiled when the first picture needs it, and stays. Decoders that were
// started share nothing but their code.
type module func() (compiled, error)

type compiled struct {
	wazero.Runtime
	wazero.CompiledModule
}

func uncompressed(code []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(code))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func newModule(source func() ([]byte, error)) module {
	return sync.OnceValues(func() (compiled, error) {
		code, err := source()
		if err == nil {
			code, err = interruptible(code)
		}
		if err != nil {
			return compiled{}, err
		}
		ctx := context.Background() // of no call: later ones need the module as well
		r := wazero.NewRuntime(ctx)
		if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
			return compiled{}, err
		}
		m, err := r.CompileModule(ctx, code)
		return compiled{r, m}, err
	})
}

// decoder is a module with a memory of its own. It decodes one file, as a process would that sees nothing else: it has no
// files, no clock and no network. Its calls end with the context. After an error it does nothing.
type decoder struct {
	api.Module
	ctx       context.Context
	forgetCtx func() bool
	memory    *boundedMemory
	err       error // the first one
}

// start returns a decoder whose memory never exceeds the limit in bytes. The caller must stop it.
func (m module) start(ctx context.Context, limit int64) (*decoder, error) {
	code, err := m()
	if err != nil {
		return nil, fmt.Errorf("compiling a decoder: %w", err)
	}
	memory := &boundedMemory{bytes: make([]byte, max(limit, minMemory))}
	allocator := experimental.MemoryAllocatorFunc(func(uint64, uint64) experimental.LinearMemory { return memory })
	within := experimental.WithMemoryAllocator(ctx, allocator)
	instance, err := code.InstantiateModule(within, code.CompiledModule, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, fmt.Errorf("starting a decoder: %w", err)
	}
	return &decoder{instance, ctx, context.AfterFunc(ctx, memory.interrupt), memory, nil}, nil
}

func (d *decoder) stop() {
	d.forgetCtx()
	_ = d.Close(d.ctx)
}

// minMemory is more than a module without a picture takes, so that any starts.
const minMemory = 4 << 20

// boundedMemory is taken whole: growing would copy it, and take it several times over.
type boundedMemory struct {
	bytes    []byte
	exceeded bool
}

func (m *boundedMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.bytes)) {
		m.exceeded = true
		return nil
	}
	return m.bytes[:size]
}

// Free does nothing: the collector frees the bytes with the decoder.
func (m *boundedMemory) Free() {}

// interrupt stops the code that runs in the memory.
func (m *boundedMemory) interrupt() {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&m.bytes[stopAt])), 1)
}

// errDecoder is the error of a decoder that finds no picture in a file, or another one than the file says.
var errDecoder = errors.New("the decoder failed")

// errMemory is the error of a decoder that asked for more memory than it may take.
var errMemory = fmt.Errorf("%w: out of memory", errDecoder)

// call calls a function of the module that returns one number, which is zero if it fails.
func (d *decoder) call(function string, args ...uint64) uint64 {
	if d.err == nil && d.ctx.Err() != nil {
		d.err = fmt.Errorf("%w: %w", errDecoder, d.ctx.Err())
	}
	if d.err != nil {
		return 0
	}
	results, err := d.ExportedFunction(function).Call(d.ctx, args...)
	if err == nil && uint32(results[0]) != 0 {
		return results[0]
	}
	d.err = errDecoder
	if d.memory.exceeded {
		d.err = errMemory
	}
	if err != nil {
		d.err = fmt.Errorf("%w: %w", d.err, err)
	}
	return 0
}

// alloc returns the address of so many bytes in the decoder's memory.
func (d *decoder) alloc(bytes int) uint64 { return d.call("malloc", uint64(bytes)) }

// put returns the address of a copy of the data in the decoder's memory.
func (d *decoder) put(data []byte) uint64 {
	at := d.alloc(len(data))
	copy(d.bytes(at, len(data)), data)
	return at
}

// bytes returns a part of the decoder's memory, which may end.
func (d *decoder) bytes(at uint64, length int) []byte {
	part, isThere := d.Memory().Read(uint32(at), uint32(length))
	if d.err == nil && !isThere {
		d.err = errDecoder
	}
	if d.err != nil {
		return nil
	}
	return part
}

// words returns numbers of four bytes.
func (d *decoder) words(at uint64, count int) []uint32 {
	words := make([]uint32, count)
	_, _ = binary.Decode(d.bytes(at, 4*count), binary.LittleEndian, words) // they stay zero after an error
	return words
}

// highBytesOf returns a copy of the high bytes of values of one or two bytes. Nothing of it is in the decoder's memory.
func (d *decoder) highBytesOf(at uint64, length, bytesOfValue int) []byte {
	raw := d.bytes(at, length)
	if bytesOfValue == 1 {
		return bytes.Clone(raw)
	}
	return highBytes(raw, 1)
}
