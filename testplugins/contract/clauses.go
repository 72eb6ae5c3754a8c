package contract

import (
	"errors"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// Outcome is how a clause came out.
type Outcome string

// The outcomes. Skip means that the clause could not be judged, because an earlier one
// failed or nothing was there to judge it on; Detail says which.
const (
	Pass Outcome = "pass"
	Fail Outcome = "fail"
	Skip Outcome = "skip"
)

// Clause is one promise of the ABI and how the module kept it.
type Clause struct {
	ID      string  `json:"id"` // stable: area, then the promise
	Title   string  `json:"title"`
	Outcome Outcome `json:"outcome"`
	Detail  string  `json:"detail,omitempty"` // the observation, when it is not a pass
	Hint    string  `json:"hint,omitempty"`   // the advice, when it is a fail
}

// clauses is the suite, in the order of judgement. Each clause has the advice for a
// fail without more specific advice.
var clauses = []Clause{
	{ID: "module.loads", Title: "the file is a WebAssembly module that compiles, with allowed imports, the required exports, ABI version 1 and a memory minimum below the limit", Hint: "build it as a reactor module against the call table"},
	{ID: "describe.manifest", Title: "pdpp_describe hands over one manifest within its time, with nothing granted", Hint: "embed the manifest, make one manifest call, and return 0"},
	{ID: "describe.stable", Title: "describing again gives the same manifest", Hint: "leave everything that changes, such as the time, out of the manifest"},
	{ID: "manifest.valid", Title: "the manifest satisfies every rule", Hint: "correct each field that is listed"},
	{ID: "manifest.schemas", Title: "every stream's schema is a JSON Schema 2020-12", Hint: "validate the schema against the metaschema"},
	{ID: "manifest.imports", Title: "every import that needs a binding has that binding declared", Hint: "declare the binding"},
	{ID: "manifest.bindings", Title: "every binding that the manifest requires is one that this host has", Hint: "mark the binding as not required, or use a host that has it"},
	{ID: "credentials.named", Title: "without credentials, and with nobody to ask, it ends with DONE failed and names the missing ones", Hint: "when START.bindings.interactive is absent, end with DONE failed and a message that names each variable"},
	{ID: "credentials.asked", Title: "without credentials, and with somebody to ask, it asks for missing_credentials and names the missing ones", Hint: "submit an INTERACTION of kind missing_credentials whose message names each variable"},
	{ID: "collect.done", Title: "a run ends with one DONE", Hint: "end every run with DONE, also one that failed"},
	{ID: "collect.limits", Title: "a run keeps its limits of time, memory, log and output", Hint: "stream instead of buffering, and log less"},
	{ID: "collect.calls", Title: "every call passes the guest's own memory, within the call's bound", Hint: "check the pointer, the length and the call's most bytes"},
	{ID: "collect.order", Title: "START is read first, nothing follows DONE, and nobody is asked twice at once or when nobody can be asked", Hint: "see the order of a run"},
	{ID: "collect.messages", Title: "every message is strict JSON of the documented shape", Hint: "see the message's table"},
	{ID: "collect.scope", Title: "every message stays within the streams, keys, fields and times of START", Hint: "look at START.scope before emitting"},
	{ID: "collect.keys", Title: "every record has the key that its primary_key yields, and none is held back for lack of one", Hint: "build keys from the manifest's primary_key"},
	{ID: "collect.deletes", Title: "only mutable streams have tombstones", Hint: "declare the stream as mutable_state, or do not delete"},
	{ID: "collect.lanes", Title: "every detail lane and gap is accounted for, and a detail that is called fetched was delivered", Hint: "emit one DETAIL_COVERAGE a lane, after its last record or gap, each detail's record before it counts as hydrated, and that of a served gap, changed or not, before DETAIL_GAP_RECOVERED"},
	{ID: "collect.enumerations", Title: "every enumeration is begun once in a run, and open when it is said to be whole", Hint: "open it before its first record, and say whole once, before the cursor that covers the stream"},
	{ID: "collect.count", Title: "DONE counts every record that was emitted", Hint: "count dropped records and tombstones too"},
	{ID: "collect.records", Title: "every record satisfies its stream's schema", Hint: "correct the schema or the record"},
	{ID: "collect.returns", Title: "pdpp_collect returns 0 right after DONE", Hint: "return right after the done call"},
	{ID: "collect.items", Title: "what became of the items of each stream adds up: as many are emitted as records come, none replaces another one of the run unless merges says why, fields that are cut are counted, and as many are met as the source has, where --items says so", Hint: "count each item where the connector decides what becomes of it, see sdk/accounts; items with one key need another primary_key, or merges with the reason"},
	{ID: "collect.names", Title: "every name that the connector does not know is one of unknown_names", Hint: "collect what has the name, or list it in streams[].unknown_names when it is passed over on purpose"},
	{ID: "collect.files", Title: "every file that is said to be read was opened and read, and of an archive as many bytes as its entries have that are said to be; one of which the beginning alone was read is said to be beginning", Hint: "say read of a file when its end is reached, beginning with a rule of local_paths where the rest is not for the connector, and known or unknown of one that is not read"},
	{ID: "collect.empty", Title: "over empty folders a run ends in good order", Hint: "an empty folder is no failure, or one that DONE explains"},
	{ID: "checkpoint.committed", Title: "a run that succeeded leaves no cursor withheld", Hint: "account for every key of the cursor's lanes"},
	{ID: "checkpoint.covers", Title: "a cursor covers every incremental stream that delivered records", Hint: "emit STATE for the stream or its state_stream, or declare it as not incremental"},
	{ID: "resume.accepts", Title: "a second run accepts the cursors of the first", Hint: "read START.state as the run before wrote it"},
	{ID: "resume.quiet", Title: "a second run over unchanged input changes nothing in incremental streams, and emits again only what the first enumerated", Hint: "continue from the cursor"},
	{ID: "refresh.repeats", Title: "a full refresh delivers the same records again", Hint: "without state, start from the beginning"},
	{ID: "scope.streams", Title: "a run that is given one stream delivers that stream, whole", Hint: "emit a stream whenever it is in scope, whatever else is"},
	{ID: "scope.resources", Title: "a run that is given one key delivers that key only", Hint: "compare each key with START's resources"},
	{ID: "scope.time_range", Title: "a run that is given a time range delivers nothing outside it", Hint: "compare the consent_time_field with START's time_range"},
	{ID: "stop.complies", Title: "asked to stop, the guest sends DONE and returns before it is killed", Hint: "when a call returns 1, checkpoint the complete part, send DONE cancelled, and return"},
	{ID: "isolation.same", Title: "a worker process and inline mode give the same records", Hint: "depend on nothing but START, the clock and the roots"},
}

// ofRecords are the clauses that any connector keeps that delivers nothing.
var ofRecords = []string{
	"collect.scope", "collect.keys", "collect.deletes", "collect.count", "collect.records", "collect.items", "collect.names", "checkpoint.covers",
	"resume.quiet", "refresh.repeats", "isolation.same",
}

// Report is the outcome of the whole suite for one module.
type Report struct {
	Module    string   `json:"module"`
	SHA256    string   `json:"sha256"`
	Kind      string   `json:"kind,omitempty"` // raw or extism
	Clauses   []Clause `json:"clauses"`
	Records   int64    `json:"records"`             // that the first run delivered, diagnostics left out
	Connector string   `json:"connector,omitempty"` // its key
	// Bindings are those that the manifest declares, in order.
	Bindings []string `json:"bindings,omitempty"`
	// Gaps lists everything that the first run reports as not collected.
	Gaps []run.KnownGap `json:"gaps,omitempty"`

	// Warnings lists faults that break no clause and hurt the owner.
	Warnings []string `json:"warnings,omitempty"`

	delivered int64 // as Records, with tombstones and rejected ones
	observe   func(Clause)
	notified  map[string]Outcome // clauses that observe was called with, by id
}

// Failed lists the clauses that failed.
func (r *Report) Failed() []Clause {
	var out []Clause
	for _, c := range r.Clauses {
		if c.Outcome == Fail {
			out = append(out, c)
		}
	}
	return out
}

// Clause returns the clause of that id, or the zero Clause.
func (r *Report) Clause(id string) Clause {
	for _, c := range r.Clauses {
		if c.ID == id {
			return c
		}
	}
	return Clause{}
}

// newReport makes a report that calls observe with each clause. notified lists the clauses
// that an earlier attempt passed to it.
func newReport(observe func(Clause), notified map[string]Outcome) *Report {
	r := &Report{Clauses: make([]Clause, len(clauses)), observe: observe, notified: notified}
	for i, c := range clauses {
		r.Clauses[i] = Clause{ID: c.ID, Title: c.Title}
	}
	return r
}

// pass marks clauses as kept.
func (r *Report) pass(ids ...string) {
	for _, id := range ids {
		*r.find(id) = Clause{ID: id, Title: r.find(id).Title, Outcome: Pass}
	}
}

// skip marks a clause as one that cannot be judged, and says why.
func (r *Report) skip(id, why string) {
	c := r.find(id)
	c.Outcome, c.Detail = Skip, why
}

// judge passes the clause, or fails it with the text of err.
func (r *Report) judge(id string, err error) bool {
	if err == nil {
		r.pass(id)
		return true
	}
	c := r.find(id)
	c.Outcome, c.Detail = Fail, err.Error()
	for _, known := range clauses {
		if known.ID == id {
			c.Hint = known.Hint
		}
	}
	var e *abi.Error
	if errors.As(err, &e) && e.Hint != "" {
		c.Hint = e.Hint
	}
	return false
}

// notify passes the clauses judged since its last call to observe. It first withdraws
// passes that rest on no record at all.
func (r *Report) notify() {
	for i := range r.Clauses {
		c := &r.Clauses[i]
		if r.delivered == 0 && c.Outcome == Pass && slices.Contains(ofRecords, c.ID) {
			r.skip(c.ID, "no record was delivered, so there was nothing to judge it on")
		}
		if c.Outcome != r.notified[c.ID] && c.Outcome != "" && r.observe != nil {
			r.notified[c.ID] = c.Outcome
			r.observe(*c)
		}
	}
}

// NotJudged begins the reason of a clause that was skipped because another one failed.
const NotJudged = "not judged, because "

// skipUnjudged skips the clauses without an outcome, because of the clause that ended the
// suite.
func (r *Report) skipUnjudged() {
	r.notify()
	why := "there was nothing to judge it on"
	if failed := r.Failed(); len(failed) > 0 {
		why = NotJudged + failed[len(failed)-1].ID + " failed"
	}
	for i := range r.Clauses {
		if r.Clauses[i].Outcome == "" {
			r.Clauses[i].Outcome, r.Clauses[i].Detail = Skip, why
		}
	}
	r.notify()
}

func (r *Report) find(id string) *Clause {
	for i := range r.Clauses {
		if r.Clauses[i].ID == id {
			return &r.Clauses[i]
		}
	}
	panic("contract: no clause " + id) // a slip in this package
}
