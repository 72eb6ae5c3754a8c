package sdktest

import (
	"io/fs"
	"net/http"
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
	// Options are the connector options; of those that the manifest declares the
	// others have their defaults.
	Options map[string]string
	// Credentials says which credential fields the host holds.
	Credentials map[string]bool
	// Answer answers interactions; nil: nobody can be asked. Type and RequestID
	// of the response are filled in.
	Answer func(abi.Interaction) abi.InteractionResponse
	// DetailGaps are the leased gaps of START, each a DETAIL_GAP object.
	DetailGaps []string
	// GapPages are what the gaps operation answers, in turn; then empty pages.
	GapPages     [][]string
	DetailLimits *abi.DetailLimits
	RecoveryOnly bool
	// Provider answers Fetch; nil: the network is not granted. It gets each
	// request once: what the host would send again (408, 429, 5xx) is answered
	// with the FetchError of a host that has given up. A credential slot's field
	// arrives as "secret-<field>". It is called on the connector's goroutine.
	Provider http.Handler
	// Fails, when not nil, is asked before Provider: what it returns is the
	// failure of a host that did not get an answer, such as a circuit that is
	// open or a stop that is final.
	Fails func(r *http.Request) *abi.HTTPFailure
	// Completes picks the request that is answered next, of n unanswered ones in
	// the order of their submission; nil: the first. See Last.
	Completes func(n int) int
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

// Last completes the newest request first: every order that a connector could
// rely on is turned around.
func Last(n int) int { return n - 1 }
