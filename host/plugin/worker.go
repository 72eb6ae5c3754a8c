package plugin

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/books"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/confine"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/spawn"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/wire"
)

// workerGCPercent keeps a worker's own heap small. The guest's memory is not part of
// it.
const workerGCPercent = 50

// WorkerMain runs a worker process: it reads orders from in, runs the guest in them,
// and writes the guest's calls to out. It returns the exit code when in ends, and ends
// the process if in ends under a running guest. The process holds no database, no
// secret and no network.
func WorkerMain(in io.Reader, out io.Writer) int {
	debug.SetGCPercent(workerGCPercent)
	confine.Harden()
	if f, ok := in.(*os.File); ok {
		defer runtime.KeepAlive(f) // collecting it would close in's descriptor
		in = spawn.Pollable(f)
	}
	if f, ok := out.(*os.File); ok {
		defer runtime.KeepAlive(f)
		out = spawn.Pollable(f)
	}
	// Standard output is the pipe; a library that prints must not write to it.
	os.Stdout = os.Stderr
	w := &worker{
		out: wire.NewWriter(out), orders: make(chan order), acks: make(chan []byte, 1), exit: os.Exit,
	}
	go w.listen(wire.NewReader(in, 64<<10, fromHost))
	for o := range w.orders {
		if err := w.execute(o); err != nil {
			return 1
		}
	}
	return 0
}

// order is one Load, Prepare, Describe or Collect.
type order struct {
	kind    wire.Kind
	payload []byte
	module  []byte
}

type worker struct {
	out     *wire.Writer
	orders  chan order
	acks    chan []byte
	exit    func(int)
	runtime *guest.Runtime
	sink    *pipeSink
	first   *guest.Instance // the instance made by Prepare, until Describe uses it

	books *books.Books // of the running collect; nil: it has no folders

	mu      sync.Mutex
	session *guest.Session // the running guest's, for Stop and Answer
	busy    bool
	stopped bool // a Stop that arrived before the session
}

// listen reads frames until the host has gone.
func (w *worker) listen(r *wire.Reader) {
	var load []byte
	for {
		f, err := r.Next()
		if err != nil {
			w.mu.Lock()
			busy := w.busy
			w.mu.Unlock()
			if busy {
				w.exit(0)
			}
			close(w.orders)
			return
		}
		payload := append([]byte(nil), f.Payload...)
		switch f.Kind {
		case wire.Load:
			load = payload
		case wire.Module:
			w.enqueue(order{wire.Load, load, payload})
			r.Shrink()
		case wire.Prepare, wire.Describe, wire.Collect:
			w.enqueue(order{kind: f.Kind, payload: payload})
		case wire.Stop:
			w.mu.Lock()
			if w.stopped = true; w.session != nil {
				w.session.Stop()
			}
			w.mu.Unlock()
		case wire.Ack:
			w.acks <- payload
		case wire.Answer:
			w.mu.Lock()
			if w.session != nil {
				w.session.Answer(int32(f.ID), payload)
			}
			w.mu.Unlock()
		}
	}
}

func (w *worker) enqueue(o order) {
	w.mu.Lock()
	w.busy = true
	w.mu.Unlock()
	w.orders <- o
}

func (w *worker) execute(o order) error {
	var out guest.Outcome
	answer := wire.End
	if w.runtime == nil && o.kind != wire.Load {
		return errors.New("nothing is loaded")
	}
	switch o.kind {
	case wire.Load:
		answer = wire.Loaded
		out = w.load(o)
	case wire.Prepare:
		at := describedAt(false)
		w.first, out = w.runtime.Instantiate(context.Background(), w.newSession(&at, false), nil)
	case wire.Describe:
		out = w.describe(len(o.payload) == 1 && o.payload[0] == 1)
	default:
		out = w.collect(o.payload)
	}
	w.mu.Lock()
	w.session, w.busy = nil, false
	w.mu.Unlock()
	return w.out.Write(answer, 0, encodeReport(out))
}

func (w *worker) load(o order) guest.Outcome {
	var l loadOrder
	if err := json.Unmarshal(o.payload, &l); err != nil {
		return guest.Outcome{Err: err}
	}
	if err := restrict(&l); err != nil {
		return guest.Outcome{Err: err}
	}
	confine.CompileMemory()
	rt, err := guest.Compile(context.Background(), guest.Config{
		CacheDir: l.CacheDir, MemoryBytes: l.MemoryBytes, Extism: l.Extism,
	}, o.module)
	if err != nil {
		return guest.Outcome{Err: compileError(err)}
	}
	if w.runtime = rt; !l.CompileOnly {
		debug.FreeOSMemory() // decoding a module leaves several times its size behind
		confine.Memory(l.MemoryBytes)
	}
	return guest.Outcome{Returned: true}
}

// restrict gives up everything that the worker no longer needs, before it reads the
// first byte of a module. Invariant 6: a guest that breaks out of WebAssembly may read
// the folders that it was granted, and no others.
func restrict(l *loadOrder) error {
	var a confine.Access
	for _, root := range l.Roots {
		// Any other path is refused when it is opened.
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			a.Read = append(a.Read, root)
		}
	}
	if l.CacheDir != "" {
		if err := os.MkdirAll(l.CacheDir, 0o700); err != nil {
			return cacheError(err)
		}
		if a.Read = append(a.Read, l.CacheDir); l.CompileOnly {
			a.Write = l.CacheDir
		}
	}
	if err := confine.Restrict(a); err != nil {
		return abi.NewError(abi.CodeWorkerStart, "the worker process cannot be confined",
			"report it with what doctor says of the sandbox; isolation: inline runs a trusted plugin without a worker").
			WithDetail(err.Error()).Wrap(err)
	}
	return nil
}

// newSession makes the session of the next instance.
func (w *worker) newSession(fixed *guest.Determinism, network bool) *guest.Session {
	w.sink = &pipeSink{w: w, network: network}
	s := guest.NewSession(booked{w.sink, w.books})
	if fixed != nil {
		s.Fix(*fixed)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.session = s; w.stopped {
		s.Stop()
	}
	return s
}

func (w *worker) describe(again bool) (out guest.Outcome) {
	i := w.first
	w.first = nil
	if i != nil && again {
		i.Close()
		i = nil
	}
	if i == nil {
		at := describedAt(again)
		if i, out = w.runtime.Instantiate(context.Background(), w.newSession(&at, false), nil); out.Err != nil {
			return out
		}
	}
	defer i.Close()
	return i.Describe()
}

func (w *worker) collect(payload []byte) guest.Outcome {
	if w.first != nil {
		w.first.Close()
		w.first = nil
	}
	var order collectOrder
	if err := json.Unmarshal(payload, &order); err != nil {
		return guest.Outcome{Err: err}
	}
	mounts, err := openMounts(order.Mounts)
	if err != nil {
		return guest.Outcome{Err: err}
	}
	defer closeMounts(mounts)
	w.books = keep(order.Rule, mounts)
	// There is one guest and one reader of its answers: on one processor they take
	// turns without waking threads. Compilation is over.
	runtime.GOMAXPROCS(1)
	i, out := w.runtime.Instantiate(context.Background(), w.newSession(order.Deterministic, order.Network), mounts)
	if out.Err != nil {
		return out
	}
	defer i.Close()
	out = i.Collect()
	closeBooks(w.books, mounts, &out)
	return out
}

// pipeSink sends a guest's calls to the host. A pipe that cannot be written means that
// the host has gone; the guest then ends with the error.
type pipeSink struct {
	w       *worker
	op      [4]byte
	network bool // the http operation is granted
}

var _ guest.Sink = (*pipeSink)(nil)

func (s *pipeSink) Emit(p []byte) error { return s.w.out.Write(wire.Emit, 0, p) }

func (s *pipeSink) Manifest(p []byte) error {
	if err := s.w.out.Write(wire.Manifest, 0, p); err != nil {
		return err
	}
	return s.ack()
}

func (s *pipeSink) Message(call *abi.Call, p []byte) error {
	if err := s.w.out.Write(wire.Message, messageID(call), p); err != nil || !awaitsAck(call) {
		return err
	}
	return s.ack()
}

func (s *pipeSink) Log(level int32, text []byte) error {
	return s.w.out.Write(wire.Log, uint32(level), text)
}

func (s *pipeSink) Output(fd int, text []byte) error {
	return s.w.out.Write(wire.Output, uint32(fd), text)
}

// Submit waits until the host has taken the request, except for http: a round trip
// between the processes would cost more than the rest of the call, and the host
// refuses an http request only for a missing grant, which is known here too.
func (s *pipeSink) Submit(handle int32, op abi.Operation, request []byte) error {
	if op == abi.OpHTTP {
		if refused := permit(op, map[string]bool{abi.BindingNetwork: s.network}); refused != nil {
			return &guest.Refused{Err: refused}
		}
		return s.w.out.Write(wire.Request, uint32(handle), request)
	}
	binary.LittleEndian.PutUint32(s.op[:], uint32(op))
	if err := s.w.out.Write(wire.Submit, uint32(handle), s.op[:], request); err != nil {
		return err
	}
	return s.ack()
}

// ack waits until the host has taken the last frame.
func (s *pipeSink) ack() error {
	payload := <-s.w.acks
	if len(payload) == 0 {
		return nil
	}
	out, err := decodeReport(payload)
	if err != nil {
		return err
	}
	if e, ok := errors.AsType[*abi.Error](out.Err); ok {
		return &guest.Refused{Err: e}
	}
	return errors.New("an acknowledgement says nothing")
}
