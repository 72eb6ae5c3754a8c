package plugin

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/spawn"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/wire"
)

// readBufferBytes holds a few record batches, so that one read fetches several.
const readBufferBytes = 256 << 10

// pipeBytes is the requested size of the pipe from a worker, which bounds how far a
// guest may run ahead of the host.
const pipeBytes = 1 << 20

// process is one worker process and the two pipes to it.
type process struct {
	cmd    *exec.Cmd
	frames *wire.Reader
	read   *os.File
	write  *os.File
	out    outbox
	stderr head
	exited chan struct{} // closed once the process is reaped

	mu      sync.Mutex
	reason  error // why it was killed; nil if it was not
	reaping bool  // from here on its process id may be reused
}

// startProcess starts a worker.
func startProcess(command []string) (*process, error) {
	p := &process{exited: make(chan struct{})}
	childIn, write, err := os.Pipe()
	if err != nil {
		return nil, startError(err)
	}
	read, childOut, err := os.Pipe()
	if err != nil {
		_ = childIn.Close()
		_ = write.Close()
		return nil, startError(err)
	}
	spawn.GrowPipe(read, pipeBytes)
	p.read, p.write = read, write
	p.frames = wire.NewReader(read, readBufferBytes, fromWorker)
	p.cmd = exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // the host's own binary; kill ends it
	p.cmd.Dir = spawn.Dir
	p.cmd.Env = []string{} // Invariant 5: nothing of the host's environment
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = childIn, childOut, &p.stderr
	p.cmd.WaitDelay = time.Second
	p.cmd.SysProcAttr = spawn.Attributes()
	spawn.CloseOnExec()
	started := make(chan error)
	go func() {
		// Linux sends the parent-death signal when the thread that started the child
		// ends, so the thread is kept until the child is reaped.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		_ = childIn.Close()
		_ = childOut.Close()
		started <- err
		if err != nil {
			return
		}
		if spawn.AwaitExit(p.cmd) {
			p.mu.Lock()
			spawn.Kill(p.cmd) // also ends its children
			p.reaping = true
			p.mu.Unlock()
		}
		_ = p.cmd.Wait() // the result is in ProcessState
		close(p.exited)
	}()
	if err := <-started; err != nil {
		_ = read.Close()
		_ = write.Close()
		return nil, startError(err)
	}
	p.out.overrun = func() { p.kill(badFrame("it does not read what it is sent")) }
	p.out.start(wire.NewWriter(write))
	return p, nil
}

func startError(err error) error {
	hint := "check the process limit and free memory, or use isolation: inline for a trusted plugin"
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		hint = "raise the limit of open files: `ulimit -n 1024`, or LimitNOFILE= of the service"
	}
	return abi.NewError(abi.CodeWorkerStart, "the worker process cannot be started", hint).WithDetail(err.Error()).Wrap(err)
}

// kill ends the process at once. The first reason stays. It does not wait.
func (p *process) kill(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reason == nil {
		p.reason = reason
	}
	p.signalKill()
}

// signalKill sends the signal while the process id still belongs to the worker. The caller
// holds p.mu.
func (p *process) signalKill() {
	if !p.reaping {
		spawn.Kill(p.cmd)
	}
}

// close kills the process, waits for its end, and frees the pipes.
func (p *process) close(reason error) {
	p.kill(reason)
	<-p.exited
	p.out.stop()
	_ = p.write.Close()
	p.out.wait()
	_ = p.read.Close()
}

// errReleased is the end of a guest that its owner closed.
func errReleased() error {
	return abi.NewError(abi.CodeInterrupted, "the connector was closed before it had finished", "run it again")
}

// endReason returns why the process sends nothing more: the reason for which it was killed,
// or the cause of its own end.
func (p *process) endReason(err error) error {
	if errors.Is(err, wire.ErrBadFrame) {
		p.kill(badFrame(strings.TrimPrefix(err.Error(), wire.ErrBadFrame.Error()+": ")))
	}
	// A worker normally ends without its pipe; this ends one that does not.
	t := time.AfterFunc(time.Second, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.signalKill()
	})
	<-p.exited
	t.Stop()
	p.mu.Lock()
	reason := p.reason
	p.mu.Unlock()
	switch {
	case reason != nil:
		return reason
	case outOfMemory(p.stderr.String()):
		return abi.NewError(abi.CodeLimitMemory, "the worker process ran out of memory",
			"raise limits.memory, or give the machine more").WithDetail(p.cmd.ProcessState.String())
	default:
		detail := p.cmd.ProcessState.String()
		if line, _, _ := strings.Cut(p.stderr.String(), "\n"); line != "" {
			detail += "; it wrote: " + truncate(string(clean(nil, []byte(line))), 256)
		}
		e := abi.NewError(abi.CodeWorkerLost, "the worker process ended before the connector did",
			"run it again; if it repeats, this is a fault in the plugin or the host").WithDetail(detail)
		if err != nil && !errors.Is(err, io.EOF) {
			return e.Wrap(err)
		}
		return e
	}
}

func outOfMemory(stderr string) bool {
	return strings.Contains(stderr, "out of memory") || strings.Contains(stderr, "cannot allocate memory")
}

// head keeps the first 8 KiB of a worker's standard error, because the runtime's last
// words come first.
type head struct {
	mu sync.Mutex
	b  []byte
}

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.b = append(h.b, p[:min(len(p), tailBytes-len(h.b))]...)
	return len(p), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.b)
}

// outbox sends frames to a worker from its own goroutine, so that an answering
// goroutine does not wait for a worker that does not read. A backlog above maxOutbox
// means that the worker no longer follows the protocol; overrun is called once.
type outbox struct {
	mu      sync.Mutex
	wake    *sync.Cond
	w       *wire.Writer
	queue   []outFrame
	writing bool // a goroutine in answer is writing
	stopped bool
	done    chan struct{}
	overrun func() // ends the worker; must not wait for its end
}

// maxOutbox bounds the queue: an answer for each request in flight, and as many
// orders.
const maxOutbox = 2 * abi.MaxInFlight

type outFrame struct {
	kind    wire.Kind
	id      uint32
	payload []byte
}

func (o *outbox) start(w *wire.Writer) {
	o.w, o.wake = w, sync.NewCond(&o.mu)
	o.done = make(chan struct{})
	go func() {
		defer close(o.done)
		for {
			o.mu.Lock()
			for (len(o.queue) == 0 || o.writing) && !o.stopped {
				o.wake.Wait()
			}
			if o.stopped {
				o.mu.Unlock()
				return
			}
			f := o.queue[0]
			o.queue[0] = outFrame{}
			if o.queue = o.queue[1:]; len(o.queue) == 0 {
				o.wake.Broadcast() // wakes goroutines in answer
			}
			o.mu.Unlock()
			if err := w.Write(f.kind, f.id, f.payload); err != nil {
				o.stop() // the reader notices the worker's end by itself
				return
			}
		}
	}()
}

// send queues a frame and takes ownership of payload.
func (o *outbox) send(kind wire.Kind, id uint32, payload []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopped {
		return
	}
	if len(o.queue) >= maxOutbox {
		o.stopped, o.queue = true, nil
		o.wake.Broadcast()
		go o.overrun()
		return
	}
	o.queue = append(o.queue, outFrame{kind, id, payload})
	o.wake.Broadcast()
}

// answer sends an answer from the caller's goroutine, because waking another one costs
// more than the write. It waits for its turn, and while the worker does not read, so
// that answers do not accumulate here.
func (o *outbox) answer(handle uint32, payload []byte) {
	o.mu.Lock()
	for (o.writing || len(o.queue) > 0) && !o.stopped {
		o.wake.Wait()
	}
	if o.stopped {
		o.mu.Unlock()
		return
	}
	o.writing = true
	o.mu.Unlock()
	err := o.w.Write(wire.Answer, handle, payload)
	o.mu.Lock()
	o.writing = false
	o.wake.Broadcast()
	o.mu.Unlock()
	if err != nil {
		o.stop()
	}
}

func (o *outbox) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stopped, o.queue = true, nil
	o.wake.Broadcast()
}

func (o *outbox) wait() { <-o.done }
