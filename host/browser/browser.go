package browser

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/gate"
	"github.com/pdpp-host/pdpp-host/host/browser/launch"
	"github.com/pdpp-host/pdpp-host/host/browser/profile"
	"github.com/pdpp-host/pdpp-host/host/browser/wall"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

const (
	callTime    = 30 * time.Second // for an answer to one call
	profileWait = time.Minute      // for a profile that another run uses
	grace       = 5 * time.Second  // from the request to close until it is killed
)

// Request says which browser is wanted.
type Request struct {
	Program     string          // absolute, as find.System.Browser returns it
	Profiles    string          // the folder of profiles, absolute
	Profile     string          // the profile's name
	Wait        time.Duration   // for the profile, and then for a slot; 0: a minute
	Slots       int             // how many browsers may run at once in Profiles; 0: any number
	Lang        string          // the owner's LANG
	Display     *launch.Display // nil: it has no window
	Unsandboxed bool            // the operator's explicit word
	Unmarked    bool            // the owner's: pages do not see that a program drives them
	Capture     bool            // the operator's: what pages are made of is kept, see profile.Capture
	Memory      int64           // bytes that all its processes may take; 0: abi.BrowserMemory
	Disk        int64           // bytes that its profile may have while it runs; 0: 512 MiB
	Stored      int64           // bytes of it that all sites may store, of which one has at most three quarters; 0: 384 MiB
	Trust       []string        // keys of a test's own servers, see launch.Options
	Admitter    gate.Admitter   // lets requests go
	Dialer      wall.Dialer     // reaches hosts
	Random      io.Reader
	Headers     func(http.Header) error // says why a connector may not name them; nil: it names none

	// Those of a run that signs in, see op.Options.
	Limit time.Duration
	Now   func() time.Time
	// Large is told at the end of a profile of more than abi.BrowserLarge bytes; nil: nobody is.
	Large func(size int64)
	// Sealer seals the cookies that end with the browser; nil: they are not kept.
	Sealer Sealer
	// Hide is told of cookies before an answer that may have them; nil: nobody is.
	Hide func(name, value string)
	// Waits is told what is waited for, where that is not there at once; nil: nobody is.
	Waits func(abi.Code)
}

// Browser is a browser that this process holds. Close it.
type Browser struct {
	Product string // as in "Chrome/156.0.8078.79"

	request Request
	held    *profile.Held
	slot    *os.File // nil: it needs none
	wall    *wall.Wall
	temp    *temp
	process *launch.Process
	line    *wire.Line
	gate    *gate.Gate

	overfull atomic.Int64 // bytes of the profile for which it was ended

	once sync.Once
	err  error // of Close
}

// Acquire starts a browser, and returns it when its gate is shut and proven.
func Acquire(ctx context.Context, r Request) (*Browser, error) {
	b, err := start(ctx, r)
	if err == nil {
		err = b.gate.Shut(ctx)
	}
	if err == nil {
		err = b.gate.Prove(ctx, r.Random)
	}
	if err != nil {
		return nil, errors.Join(b.because(err), b.Close())
	}
	return b, nil
}

// start starts a browser that has no page and no gate yet. It returns what it has come to, and
// the caller closes that, also after an error.
func start(ctx context.Context, r Request) (b *Browser, err error) {
	if r.Wait == 0 {
		r.Wait = profileWait
	}
	b = &Browser{request: r}
	if err = b.place(ctx); err != nil {
		return b, err
	}
	if b.wall, err = wall.New(r.Dialer, r.Random); err != nil {
		return b, err
	}
	if b.temp, err = newTemp(os.TempDir()); err != nil {
		return b, err
	}
	if err := b.begin(ctx); err != nil {
		return b, err
	}
	b.gate = gate.New(b.line, r.Admitter, b.wall.Name, b.wall.Password)
	return b, tooOld(b.Product)
}

// tooOld says why a version is refused.
func tooOld(product string) error {
	_, version, _ := strings.Cut(product, "/")
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < abi.BrowserOldest {
		return abi.NewError(abi.CodeBrowserTooOld, "the browser is too old: "+product, "install version "+strconv.Itoa(abi.BrowserOldest)+" or newer")
	}
	return nil
}

// because replaces the loss of a browser by what it died of.
func (b *Browser) because(err error) error {
	if e, ok := errors.AsType[*abi.Error](err); b.process == nil || !ok || e != wire.ErrGone { // others have its code
		return err
	}
	select {
	case <-b.process.Ended():
		return b.process.Reason()
	case <-time.After(grace): // it is alive, and has closed its pipe
		return err
	}
}

// Refused returns the hosts that the browser did not get to, each with how often it tried.
func (b *Browser) Refused() (names map[string]int, others int) { return b.wall.Refused() }

// Ended is closed when the browser is gone, and Err says why.
func (b *Browser) Ended() <-chan struct{} { return b.line.Ended() }

// Close ends the browser: its gate refuses, it is asked to close, and what is left of it after
// five seconds is killed. Then its profile is free. Close may be called again.
func (b *Browser) Close() error {
	b.once.Do(func() { b.err = b.end() })
	return b.err
}

func (b *Browser) end() error {
	var errs []error
	if b.gate != nil {
		b.gate.Close()
	}
	errs = append(errs, b.quit())
	if b.wall != nil {
		errs = append(errs, b.wall.Close())
	}
	if b.temp != nil {
		errs = append(errs, b.temp.remove())
	}
	if b.held != nil {
		if b.process != nil {
			errs = append(errs, b.held.Prune())
			size, _ := b.held.Size()
			if size = max(size, b.overfull.Load()); size > abi.BrowserLarge && b.request.Large != nil {
				b.request.Large(size)
			}
		}
		errs = append(errs, b.held.Release())
	}
	if b.slot != nil {
		errs = append(errs, b.slot.Close())
	}
	return errors.Join(errs...)
}

// quit ends the program.
func (b *Browser) quit() error {
	if b.process == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_ = proto.BrowserClose{}.Call(b.line.On(ctx, "")) // it may be gone, or hang
	select {
	case <-b.process.Ended():
	case <-ctx.Done():
	}
	b.process.Kill()
	return b.line.Close()
}
