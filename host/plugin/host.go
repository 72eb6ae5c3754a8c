package plugin

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Mount is one host folder that a guest may read, and finds at "/" + Name.
type Mount struct {
	Name string // one path element
	Path string
}

// Grant is what one collect may use.
type Grant struct {
	Bindings map[string]bool // by the abi.Binding names
	Roots    []Mount         // with the filesystem binding
	// Deterministic makes the guest repeatable; nil: it has real clocks, real
	// randomness and real timeouts.
	Deterministic *Determinism
}

// Determinism makes what a guest does depend on its module, its answers and
// their order alone, in either isolation mode: the same again is the same again,
// byte for byte. Its clocks stand at Start and move only by a millisecond for
// each answer that wait hands out, and by what the guest sleeps; its randomness
// is a ChaCha8 stream of Seed; and wait blocks until an answer is there whatever
// its timeout, since no time passes meanwhile. Files are the caller's to keep the
// same. A stop that is asked for ends all this: it comes when it comes.
type Determinism struct {
	Start time.Time // from 1970 to 2200
	Seed  [32]byte
	// Paced lets a sleep take its time, for a guest that waits for a provider. The
	// clocks move by the same either way.
	Paced bool
}

// Host receives what a guest says during one collect. Its methods are never
// called concurrently with each other, in the order of the guest's calls; a
// slice is valid during the call only. An error of Emit or Message ends the
// collect at once and becomes Exit.Err. None of them should block for long
// after the collect's context has ended.
type Host interface {
	Emit(payload []byte) error
	// Message takes the payload of the call state, gap, coverage, skip, progress
	// or done.
	Message(call string, payload []byte) error
	// Log takes a line, cut to size and without control characters. level is
	// slog's: 0 information, 4 warning, 8 error.
	Log(level int32, text []byte)
	// Submit starts a request and returns promptly. An error is a refusal that
	// the guest reads with last_error; then reply is not called. Otherwise reply
	// is called exactly once, from any goroutine, and takes over answer; after the
	// collect has ended it does nothing.
	Submit(op abi.Operation, request []byte, reply func(answer []byte)) error
}

// Exit is how a collect ended.
type Exit struct {
	// Returned says that pdpp_collect returned by itself; Code is what it
	// returned. Without it Err is set.
	Returned bool
	Code     int32
	// Err is why the guest was ended or how it failed: an *abi.Error of area
	// boundary, limit, guest or worker, what Host returned, or an error that wraps
	// the context's cause.
	Err error
	// Stopped is why the guest was asked to wind up before it ended: an
	// *abi.Error limit.time, or an error that wraps the context's cause. It is nil
	// when nobody asked, and set also when the guest complied in time and Err is
	// nil.
	Stopped error
	Written string // the last 8 KiB of what the guest wrote to standard output and standard error
}
