package plugin

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Mount is one host folder that a guest may read, mounted at "/" + Name.
type Mount struct {
	Name string // one path element
	Path string
}

// Grant lists what one collect may use.
type Grant struct {
	Bindings map[string]bool // by the abi.Binding names
	Roots    []Mount         // with the filesystem binding
	// Rested returns how long the collect has rested so far, as while its owner is asked:
	// Limits.Run does not count that. nil: it never does.
	Rested func() time.Duration
	// Deterministic makes the guest repeatable; nil: real clocks, real randomness and
	// real timeouts.
	Deterministic *Determinism
	// Accounting is what the books of Roots begin with.
	Accounting Accounting
}

// Determinism makes a guest's behaviour depend only on its module, its answers and
// their order, in either isolation mode: the same input gives the same output, byte
// for byte. Its clocks stand at Start. They advance by a millisecond for each answer
// that wait returns, and by the time that the guest sleeps. Its randomness is a
// ChaCha8 stream of Seed. wait blocks until there is an answer whatever its timeout,
// since no time passes meanwhile. The caller has to keep the files unchanged. A
// requested stop ends the determinism, since its time is arbitrary.
type Determinism struct {
	Start time.Time // from 1970 to 2200
	Seed  [32]byte
	// Paced makes a sleep take real time, for a guest that waits for a provider. The
	// clocks advance equally in both cases.
	Paced bool
}

// Host receives a guest's calls during one collect. Its methods are never called
// concurrently, and in the order of the guest's calls; a slice is valid only during
// the call. An error from Emit or Message ends the collect at once and becomes
// Exit.Err. No method should block for long after the collect's context has ended.
type Host interface {
	Emit(payload []byte) error
	// Message receives the payload of the call state, gap, coverage, enumerate, skip,
	// account, progress or done.
	Message(call string, payload []byte) error
	// Log receives a line, bounded in size and without control characters. level is
	// slog's: 0 information, 4 warning, 8 error.
	Log(level int32, text []byte)
	// Submit starts a request and returns promptly. An error is a refusal that the
	// guest reads with last_error; reply is then not called. Otherwise reply is called
	// exactly once, from any goroutine, and takes ownership of answer; after the
	// collect has ended it has no effect.
	Submit(op abi.Operation, request []byte, reply func(answer []byte)) error
}

// Exit is the result of a collect.
type Exit struct {
	// Returned reports that pdpp_collect returned normally, with Code as its result.
	// Otherwise Err is set.
	Returned bool
	Code     int32
	// Err is why the guest was ended or failed: an *abi.Error of area boundary, limit,
	// guest or worker, an error from Host, or an error that wraps the context's cause.
	Err error
	// Stopped is why the guest was asked to stop: an *abi.Error limit.time, or an
	// error that wraps the context's cause. It is nil if there was no request. It is
	// also set if the guest stopped in time and Err is nil.
	Stopped error
	// Books are what became of the files of the granted folders. nil: the guest did not
	// return 0, or had none.
	Books   *Books
	Written string // the last 8 KiB of the guest's standard output and standard error
}
