package sdktest

import (
	"io/fs"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Options scripts the host. The zero Options grants every stream of the manifest, no
// folders, no state and no answers to interactions.
type Options struct {
	RunID string // default "run-test"
	Mode  string // default abi.ModeIncremental
	// Streams is the scope by name; empty: every stream of the manifest.
	Streams []string
	// Scope is the scope in full, instead of Streams.
	Scope []abi.StreamScope
	// State maps streams to their committed cursors, as JSON.
	State map[string]string
	// Stored are the records that the host has, for Enumeration.Missing. SecondRun sets it.
	Stored Store
	// HoldsBack has the host ask its owner before it deletes what an enumeration has not met: in
	// this run it deletes nothing of the kind.
	HoldsBack bool
	// Roots maps root names to the granted folders.
	Roots map[string]fs.FS
	// Options are the connector options; of those that the manifest declares the
	// others have their defaults.
	Options map[string]string
	// Credentials lists the credential fields that the host has.
	Credentials map[string]bool
	// Answer answers interactions; nil: the interactive binding is not granted. Type
	// and RequestID of the response are filled in.
	Answer func(abi.Interaction) abi.InteractionResponse
	// DetailGaps are the leased gaps of START, each a DETAIL_GAP object.
	DetailGaps []string
	// GapPages are the answers of the gaps operation, in turn; then come empty pages.
	GapPages     [][]string
	DetailLimits *abi.DetailLimits
	RecoveryOnly bool
	// Provider answers Fetch; nil: the network is not granted. It gets each request
	// once: a status that a host would retry (408, 429, 5xx) becomes the FetchError of
	// a host that has given up. A credential slot's field arrives as "secret-<field>".
	// Provider is called on the connector's goroutine.
	Provider http.Handler
	// Site is what the connector's browser sees; nil: the browser is not granted.
	Site *Site
	// Fails, when not nil, is called before Provider. A failure that it returns is that
	// of a host that got no answer, such as an open circuit or a final stop.
	Fails func(r *http.Request) *abi.HTTPFailure
	// Completes picks the request that is answered next, of n unanswered ones in
	// the order of their submission; nil: the first. See Last.
	Completes func(n int) int
	// Now is the clock; nil: it always returns Epoch.
	Now func() time.Time
	// StopAfter, when positive, makes the host ask for a stop in its answer to
	// that call, counted from 1 over all calls with a payload, and from then on.
	StopAfter int
	// Before is called before each call with a payload takes effect, with its
	// name and payload. It may change the folders under the connector. An error
	// refuses the call.
	Before func(call string, payload []byte) *abi.Error
	// Tolerate keeps the host's refusals in Result.Problems only, and does not fail the
	// test for them.
	Tolerate bool

	lists map[listed]*list // what the run before left open
}

// Epoch is the default time of the clock.
var Epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Last completes the newest request first, which reverses every order that a connector
// could rely on.
func Last(n int) int { return n - 1 }
