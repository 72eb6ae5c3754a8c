package sdk

import (
	"io/fs"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Host is the run as the connector sees it: the content of START, and the receiver of
// records and messages. It is valid during Collect, on the goroutine of Collect.
type Host struct {
	link     link.Link
	start    jsonvalue.Value
	manifest jsonvalue.Value
	streams  []*stream // as the manifest lists them
	last     *stream   // of the last look-up
	roots    []abi.Root

	batch   []byte // RECORD lines not sent yet
	pending int64  // how many they are
	sent    int64  // RECORDs that the host took
	stamp   []byte // emitted_at of the batch, as a JSON string
	message []byte // room for one message
	key     []byte // room for one key

	page         int        // that sends requests, see FetchIn; 0: the host does
	inFlight     []inFlight // requests whose answer is not taken yet
	lanes        []*Lane
	details      detailBudget
	gaps         servedGaps
	atEnd        []func() error
	tooLarge     func(stream string, size int64) error // see OnTooLarge
	asked        int                                   // interactions so far
	progressed   time.Time                             // when the last PROGRESS went out
	stopping     bool
	failed       error // the first refusal
	filterDoc    jsonvalue.Doc
	filterBuffer []byte
}

// Serve does one run of c over l and returns the result of pdpp_collect: 0
// after DONE, 1 when DONE could not be delivered. Only the exports of this
// package and sdk/sdktest call it.
func Serve(c Connector, l link.Link) int32 {
	h := &Host{link: l}
	err := h.readStart(c.Manifest())
	if err == nil {
		err = c.Collect(h)
		err = h.finish(err)
	}
	return h.done(err)
}

// AtEnd has f called when Collect has returned, before DONE, in the order of the calls of
// AtEnd. Its error fails a run that has not failed already.
func (h *Host) AtEnd(f func() error) { h.atEnd = append(h.atEnd, f) }

// OnTooLarge has f called for each record that is not sent because its size is above abi.MaxRecordBytes, instead of a report:
// f tells of it, and can say of which file it is, whose owner may know what to do. An error of f fails the run.
func (h *Host) OnTooLarge(f func(stream string, size int64) error) { h.tooLarge = f }

// finish sends the batched records, closes the lanes, and returns the error for DONE.
func (h *Host) finish(err error) error {
	if e := h.Flush(); err == nil {
		err = e
	}
	for _, l := range h.lanes {
		if e := l.close(); err == nil {
			err = e
		}
	}
	for _, f := range h.atEnd {
		if e := f(); err == nil {
			err = e
		}
	}
	if e := h.reportWithheld(); err == nil {
		err = e
	}
	if e := h.reportDrift(); err == nil {
		err = e
	}
	if err == nil {
		err = h.failed
	}
	return err
}

// RunID returns the run's id.
func (h *Host) RunID() string { return h.start.Get("run_id").Str() }

// ConnectorKey returns the manifest's connector_key, with which the codes of a connector's
// own failures begin.
func (h *Host) ConnectorKey() string {
	return abi.CanonicalKey(h.manifest.Get("connector_key").Str())
}

// Mode returns the collection mode: abi.ModeIncremental, abi.ModeFullRefresh
// or abi.ModeBackfill. The host leaves Cursor empty where the mode wants it.
func (h *Host) Mode() string { return h.start.Get("collection_mode").Str() }

// Streams returns the names of the streams in scope, in the manifest's order.
func (h *Host) Streams() []string {
	var names []string
	for _, s := range h.streams {
		if s.wanted {
			names = append(names, s.name)
		}
	}
	return names
}

// Wants reports whether the stream is in scope. Records, states and messages
// of other streams are dropped silently, so asking only saves work.
func (h *Host) Wants(stream string) bool {
	s := h.stream(stream)
	return s != nil && s.wanted
}

// Narrowed reports whether the scope leaves out records of the stream. Its enumerations delete
// nothing then, and name nothing as missing.
func (h *Host) Narrowed(stream string) bool {
	s := h.stream(stream)
	return s != nil && (s.resources != nil || s.timed)
}

// Option returns a connector option as the operator set it, "" when not set.
func (h *Host) Option(name string) string { return h.start.Get("options").Get(name).Str() }

// HasOption reports whether the operator set the option, even to "".
func (h *Host) HasOption(name string) bool { return h.start.Get("options").Get(name).Exists() }

// Cursor returns the stream's committed cursor: an object, or the zero Value (Kind
// Null) without one. It is valid during the run.
func (h *Host) Cursor(stream string) jsonvalue.Value { return h.start.Get("state").Get(stream) }

// Previous returns the cursor that Cursor would return if this run were no full
// refresh, and the zero Value in any other run. A full refresh collects everything as
// if for the first time. It uses the earlier cursor only to find the records that have
// vanished since, and to send tombstones for them.
func (h *Host) Previous(stream string) jsonvalue.Value {
	return h.start.Get("previous_state").Get(stream)
}

// DetailGaps returns the first page of leased detail gaps, an array of the
// DETAIL_GAP objects of earlier runs, the zero Value without any.
func (h *Host) DetailGaps() jsonvalue.Value { return h.start.Get("detail_gaps") }

// RecoveryOnly reports whether the run is to recover detail gaps and nothing
// else.
func (h *Host) RecoveryOnly() bool { return h.start.Get("recovery_only").Bool() }

// Stopping reports whether the host asked the run to stop: wind up and return
// ErrStopped. It turns true on the next call to the host, so a loop that emits
// or reports progress sees it; after that the host waits seconds, not minutes.
func (h *Host) Stopping() bool { return h.stopping }

// Now returns the wall clock.
func (h *Host) Now() time.Time { return clock(h.link) }

// Emitted returns how many RECORDs were sent or wait in the batch: the number that DONE
// will report. It leaves out the records that a filter dropped.
func (h *Host) Emitted() int64 { return h.sent + h.pending }

// Connector is the code that an author writes. One value serves one instance of the
// module, so it may keep state between its two methods; Collect is called at most once.
type Connector interface {
	// Manifest returns the connector manifest, a JSON object (embed the file).
	// It is called before anything else and must not depend on anything.
	Manifest() string
	// Collect does one run. Its result becomes DONE: nil is succeeded,
	// ErrStopped anywhere in the chain is cancelled, everything else is failed,
	// with code, message and hint of the *Failure or *abi.Error in the chain.
	Collect(h *Host) error
}

var registered Connector

// Run registers the connector of this module. Call it once, from an init
// function of package main: the host calls the exports only after the init
// functions have run, and never calls main.
func Run(c Connector) {
	if registered != nil {
		panic("sdk: Run was called twice")
	}
	registered = c
}

// Roots lists the granted folders, in START's order.
func (h *Host) Roots() []abi.Root { return h.roots }

// Root returns the granted folder of that name, read-only, and whether there is
// one. Its files implement fs.File; it implements fs.StatFS and fs.ReadDirFS. A
// link that leads out of the folder is refused by the host.
func (h *Host) Root(name string) (fs.FS, bool) {
	for _, r := range h.roots {
		if r.Name == name {
			fsys := mount(h.link, r.Name, r.Path)
			return fsys, fsys != nil
		}
	}
	return nil, false
}
