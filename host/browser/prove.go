package browser

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// nowhere is a host that nothing has the name of (RFC 6761).
const nowhere = "wall.pdpp.invalid"

// proofTime is how long a proof may take, the start aside.
const proofTime = time.Minute

// confineTime is how long a process that runs pages may take to be in its sandbox.
const confineTime = 10 * time.Second

// Proof is what a start of the browser has shown.
type Proof struct {
	Product string
	Walled  bool // the system shows that its pages are in a sandbox; false: it does not show it
	Ready   time.Duration
}

// Prove starts the browser of r with a profile that is removed again, and shows that it is
// governed: a request comes to the gate; one to a foreign host and one to this machine end at
// the wall, and nothing goes around it; its pages are in a sandbox.
func Prove(ctx context.Context, r Request) (proof *Proof, err error) {
	dir, err := newTemp(os.TempDir())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.remove()) }()
	r.Profiles, r.Profile = filepath.Join(dir.path, "profiles"), "proof"
	began := time.Now()
	b, err := Acquire(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	proof = &Proof{Product: b.Product, Ready: time.Since(began)}
	ctx, cancel := context.WithTimeoutCause(ctx, proofTime, abi.NewError(abi.CodeBrowserTimeout, "the browser's requests did not come to the wall", "try it again when the machine is less busy"))
	defer cancel()
	if err := b.proveWall(ctx); err != nil {
		return nil, b.because(err)
	}
	walled, known := b.process.Confined()
	for began := time.Now(); known && !walled && !r.Unsandboxed && time.Since(began) < confineTime && ctx.Err() == nil; walled, known = b.process.Confined() {
		time.Sleep(confineTime / 500) // one that was just started gets there by itself
	}
	if known && !walled && !r.Unsandboxed {
		return nil, abi.NewError(abi.CodeBrowserSandbox, "the browser's pages are not in its sandbox", "use the browser of your system's packages")
	}
	proof.Walled = walled
	return proof, nil
}

// proveWall has pages ask for what must end at the wall.
func (b *Browser) proveWall(ctx context.Context) error {
	canary, err := net.Listen("tcp4", "127.0.0.1:0") //nolint:noctx // closed below
	if err != nil {
		return err
	}
	var around atomic.Int64
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			conn, err := canary.Accept()
			if err != nil {
				return
			}
			around.Add(1)
			_ = conn.Close()
		}
	})
	defer watching.Wait()
	defer func() { _ = canary.Close() }()
	for host, address := range map[string]string{nowhere: "https://" + nowhere + "/", "127.0.0.1": "https://" + canary.Addr().String() + "/"} {
		if _, err := (proto.TargetCreateTarget{URL: address}).Call(b.line.On(ctx, "")); err != nil {
			return err
		}
		if err := b.wall.Refuses(ctx, host); err != nil {
			return err
		}
	}
	if around.Load() > 0 {
		return abi.NewError(abi.CodeBrowserGate, "the browser's requests go around the wall", "use another browser; nothing but a test was sent")
	}
	return nil
}
