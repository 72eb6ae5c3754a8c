package handoff

import (
	"context"
	"time"
)

// Outcomes of a hand-off.
const (
	OutcomeDone      = "done"      // what it is for has happened, or its owner says so
	OutcomeCancelled = "cancelled" // its owner cannot, or its run has ended
	OutcomeTimedOut  = "timed_out"
	OutcomeLost      = "lost" // the browser is gone, and nothing that was typed is kept
)

// TakenOver is how a view ends whose session has opened another one. The hand-off goes on.
const TakenOver = "taken_over"

// The values of State.Told: each is something that a page asked for and the host refused.
const (
	ToldFileChooser = "file_chooser"
	ToldDialog      = "dialog"
	ToldPopup       = "popup" // beyond the number that may be open
)

// Surface is what a hand-off shows, and where the owner acts. Safe for concurrent use.
type Surface interface {
	// State says how the pages are, and returns what is closed at the next change.
	State() (State, <-chan struct{})
	// Cast has pictures of the page that is shown put, each until its ack is called, and
	// returns what ends that. put keeps none of jpeg. A second Cast ends the first.
	Cast(ctx context.Context, quality int, put func(jpeg []byte, ack func())) (stop func(), err error)
	// Do carries out an event of those that change a page, or the set of them.
	Do(ctx context.Context, e Event) error
	// Ended is closed when the hand-off is over by itself, and Outcome says how.
	Ended() <-chan struct{}
	Outcome() string
}

// State is how the pages of a hand-off are.
type State struct {
	Page     int         `json:"page"` // the one that is shown
	Pages    []PageShown `json:"pages"`
	Host     string      `json:"host"`     // of that page
	Viewport string      `json:"viewport"` // of Viewports
	Refused  []string    `json:"refused"`  // hosts that the owner may allow
	Told     string      `json:"told"`     // the last thing that was refused, as in ToldDialog; "": nothing was
}

// PageShown is one page.
type PageShown struct {
	Number int    `json:"page"`
	Host   string `json:"host"`
	Title  string `json:"title"`
}

// Opening is a hand-off that begins. A reason is a word of the connector's, one of abi's.
type Opening struct {
	ID           string // of the question that it belongs to
	ConnectionID string
	Connection   string
	RunID        string
	Reason       string
	Deadline     time.Time
}

// Shown is a hand-off, as every face may show it.
type Shown struct {
	ID           string
	ConnectionID string
	Connection   string
	RunID        string
	Reason       string
	Host         string // of the page that is shown, with 253 bytes at most
	Page         int
	Pages        []PageShown
	Refused      []string
	Deadline     time.Time // it ends then at the latest, or before when nobody looks on
	Watched      bool      // somebody looks on
	Outcome      string    // "": it is open
}

// Page is a Surface that its run takes back.
type Page interface {
	Surface

	// Back takes the page back, once it is over: nobody acts on it any more. ok says that the
	// owner is done, or what it is for has happened.
	Back(ctx context.Context, ok bool)
}
