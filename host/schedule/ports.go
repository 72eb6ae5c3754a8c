package schedule

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Store is the scheduler's storage; *storage.Store is one. All methods are safe for
// concurrent use.
type Store interface {
	Claims
	Index
	Connections(ctx context.Context) ([]storage.Connection, error)
	// EvidenceOf is used to check whether a rejected run's statement is still valid.
	EvidenceOf(ctx context.Context, connection string) (*storage.Evidence, error)
	ScheduleState(ctx context.Context, connectionID string, limit int) (storage.ScheduleState, error)
	// AdoptSchedule records that a connection without an owner's choice runs
	// automatically.
	AdoptSchedule(ctx context.Context, connectionID string) error
	PutDue(ctx context.Context, connectionID string, due storage.Due) error
	RecordDispatch(ctx context.Context, d storage.Dispatch) (fresh bool, err error)
}

// Index finds the connections that are due to be examined. A change of a connection makes
// it due.
type Index interface {
	// Examinations returns the connections that are due at now, the longest due first,
	// starting behind after.
	Examinations(ctx context.Context, now time.Time, after *storage.Examination, limit int) ([]storage.Examination, error)
	// NextExamination returns when the first connection after a moment is due; zero:
	// none is.
	NextExamination(ctx context.Context, after time.Time) (time.Time, error)
	// PutOffExaminations delays each connection until its At, unless it has changed.
	PutOffExaminations(ctx context.Context, list []storage.Examination) error
	// ExamineAgain makes due the connections that were delayed until a moment after
	// until.
	ExamineAgain(ctx context.Context, now, until time.Time) error
}

// Job is one run to make.
type Job struct {
	Connection storage.Connection
	Trigger    Trigger
	Attendance Attendance
	Attempt    int // attempt of this dispatch, from 0
	// Waiting is told that the run begins to wait for its owner, and that it goes on.
	Waiting func(waiting bool)
}

// Probe checks whether an obstacle still exists. version identifies the evidence:
// another version is new evidence. It is called by one goroutine at a time.
type Probe func(ctx context.Context, c storage.Connection, o Obstacle) (e verdict.SatisfactionEvidence, version string, err error)

// Pressure is a connection's stored source pressure.
type Pressure struct {
	Gaps  []Gap
	Run   *Gap // nil: none
	Pause *Gap // see CooldownInput.Pause; nil: none
	// ClockBack is when the clock was seen to have gone back; zero: it did not.
	ClockBack time.Time
}

// Deps are a Scheduler's dependencies. Store, Policy, Run, Now and Random are
// required. Callbacks are called from several goroutines.
type Deps struct {
	Store Store
	// Policy returns a connection's refresh policy from its manifest; nil if it has
	// none. An error prevents the connection from running, and is reported.
	Policy func(ctx context.Context, c storage.Connection) (*abi.RefreshPolicy, error)
	// OnDevice reports whether a device feeds a connection, which this host then never
	// runs; nil: no connection is.
	OnDevice func(ctx context.Context, c storage.Connection) (bool, error)
	// Pressure returns the stored source pressure; nil: there is none.
	Pressure func(ctx context.Context, c storage.Connection) (Pressure, error)
	// Probes returns the probe for one pass, or one examination, which may read facts
	// shared by all connections once. nil: nothing is ever known.
	Probes func() Probe
	// Rests returns a mark of the circumstances outside a connection on which a
	// refusal, or the beginning of a run, depends: the module, the configuration.
	// Equal marks mean equal circumstances; "", or nil: unknown. A mark is printable
	// ASCII without a space.
	Rests func(ctx context.Context, c storage.Connection) string
	// Surroundings returns a mark of the circumstances that all connections share, as far
	// as every pass can check cheaply: the modules that are there. When it changes, every
	// connection is examined again. nil: they do not change.
	Surroundings func(ctx context.Context) string
	// Ready returns why a run could not even begin, as far as every pass can check
	// cheaply: a missing module. A nil error, or a nil func: no obstacle is known.
	Ready func(ctx context.Context, c storage.Connection) error
	// Run makes one run to its end, and returns nil if the store has it, however it
	// ended. An error means that the run was refused before it began:
	// run.connection_busy if another process runs the connection. When ctx is
	// cancelled it ends the run and returns within Grace, or soon after.
	Run func(ctx context.Context, j Job) error
	// Refuses returns the fault of the machine for which no run begins: a full disk, a store
	// that takes no writes. A nil error, or a nil func: there is none. It is quick.
	Refuses func() error
	// TurnedAway is told of a connection that would have been run and was not, because of a
	// fault of the machine, once a pass. nil: no listener.
	TurnedAway func(ctx context.Context, c storage.Connection, t Trigger, why error)
	// HolderAlive reports whether the holder of a lease is alive; nil: every holder is
	// until its lease expires.
	HolderAlive func(holder string) bool
	Now         func() time.Time // the wall clock; it may jump
	Random      func() float64   // 0 up to 1
	Report      func(Event)      // receives all events in order; nil: no listener
	Passed      func()           // a pass has ended well; nil: no listener
	Workers     int              // concurrent runs; 0: 2
	// Scarce names what a run of the connection needs and few runs can have at once, and how
	// many can. "", or nil: there is nothing. It is quick.
	Scarce func(c storage.Connection) (what string, most int)
	Grace  time.Duration // how much longer than StopWithin runs may take to end
}

// EventKind is the kind of an event.
type EventKind string

// The kinds of event.
const (
	EventStarted  EventKind = "started"
	EventEnded    EventKind = "ended"   // the run is in the store
	EventRefused  EventKind = "refused" // it was refused before it began
	EventSkipped  EventKind = "skipped"
	EventHealed   EventKind = "healed" // the owner resolved something that it waited for
	EventTrouble  EventKind = "trouble"
	EventRecovers EventKind = "recovered" // after an error
	EventStopping EventKind = "stopping"
)

// Event is one thing that happened.
type Event struct {
	Kind       EventKind
	Connection string // its name; "" for an event without a connection
	Trigger    Trigger
	Reason     Reason
	Until      time.Time // end of the skip; zero: until something changes
	Attempt    int
	Run        *Ended // of EventEnded
	Healed     Healed // of EventHealed, whose Reason and Until describe the remaining wait
	Err        error
}
