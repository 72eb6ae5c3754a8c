package sdktest

import (
	"io/fs"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Options scripts the host. The zero Options grants every stream of the
// manifest, no folders, no state, nobody to ask.
type Options struct {
	RunID string // default "run-test"
	Mode  string // default abi.ModeIncremental
	// Streams is the scope by name; empty: every stream of the manifest.
	Streams []string
	// Scope is the scope in full, instead of Streams.
	Scope []abi.StreamScope
	// State holds the committed cursors, JSON by stream.
	State map[string]string
	// Roots holds the granted folders, by root name.
	Roots map[string]fs.FS
	// Options are the connector options.
	Options map[string]string
	// Credentials says which credential fields the host holds.
	Credentials map[string]bool
	// Answer answers interactions; nil: nobody can be asked. Type and RequestID
	// of the response are filled in.
	Answer func(abi.Interaction) abi.InteractionResponse
	// DetailGaps are the leased gaps of START, each a DETAIL_GAP object.
	DetailGaps   []string
	RecoveryOnly bool
	// Now is the clock; nil: it stands still at Epoch.
	Now func() time.Time
	// StopAfter, when positive, makes the host ask for a stop in its answer to
	// that call, counted from 1 over all calls with a payload, and from then on.
	StopAfter int
	// Before is called before each call with a payload takes effect, with its
	// name and payload. It may change the folders under the connector. An error
	// refuses the call.
	Before func(call string, payload []byte) *abi.Error
	// Tolerate keeps what the host would refuse in Result.Problems only, and
	// does not fail the test for it.
	Tolerate bool
}

// Epoch is where the clock stands by default.
var Epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
