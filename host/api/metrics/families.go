package metrics

import (
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// Kind is how a family's values move.
type Kind string

// The kinds.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
)

// Family is a name that is served, with all values that its labels take.
type Family struct {
	Name   string   `json:"name"`
	Kind   Kind     `json:"type"`
	Labels []string `json:"labels"`
	Help   string   `json:"help"`

	read func(*figures, put) // nil: the requests' own, see Timed
}

// figures are what the families read.
type figures struct {
	*serving.Vitals

	version        string
	watching       int
	deviceRequests int
	deviceRecords  int64
}

// put tells one value, with the values of the family's labels.
type put func(value float64, labels ...string)

// The families of the requests.
const (
	nameRequests = "pdpp_host_http_requests_total"
	nameLatency  = "pdpp_host_http_request_duration_seconds"
)

// Names returns every family that is served, by name.
func Names() []Family { return families }

var families = []Family{
	{"pdpp_host_build_info", Gauge, []string{"version"}, "1, with the version of the host", func(f *figures, p put) { p(1, f.version) }},
	{"pdpp_host_device_records_total", Counter, nil, "Records that devices delivered and that were stored", func(f *figures, p put) { p(float64(f.deviceRecords)) }},
	{"pdpp_host_disk_free_bytes", Gauge, nil, "Room on the disk of the data folder; absent where the system does not say", func(f *figures, p put) {
		if !f.FreeBytesUnknown {
			p(float64(f.FreeBytes))
		}
	}},
	{"pdpp_host_event_watchers", Gauge, nil, "Clients that watch events now", func(f *figures, p put) { p(float64(f.watching)) }},
	{nameLatency, Histogram, []string{"route"}, "How long requests took, by the pattern of their route; streams of events are left out", nil},
	{nameRequests, Counter, []string{"code"}, "Requests that were answered, by class of status: 1xx to 5xx", nil},
	{"pdpp_host_notification_channels", Gauge, []string{"state"}, "Ways to the owner: working, failing", func(f *figures, p put) {
		p(float64(f.Channels-f.FailingChannels), "working")
		p(float64(f.FailingChannels), "failing")
	}},
	{"pdpp_host_provider_delay_seconds_total", Counter, []string{"cause", "provider"}, "Time that requests to a provider were held back: pace, asked (by the provider), backoff (after a failure)", func(f *figures, p put) {
		for i := range f.Providers {
			c := &f.Providers[i]
			p(c.Paced.Seconds(), "pace", c.Provider)
			p(c.Asked.Seconds(), "asked", c.Provider)
			p(c.BackedOff.Seconds(), "backoff", c.Provider)
		}
	}},
	{"pdpp_host_provider_requests_total", Counter, []string{"outcome", "provider"}, "Requests to a provider: answered, throttled (it asked for fewer), failed (no answer, or a 5xx)", func(f *figures, p put) {
		for i := range f.Providers {
			c := &f.Providers[i]
			p(float64(c.Answered), "answered", c.Provider)
			p(float64(c.Refused), "throttled", c.Provider)
			p(float64(c.Failed), "failed", c.Provider)
		}
	}},
	{"pdpp_host_questions_open", Gauge, nil, "Questions of runs that wait for the owner", func(f *figures, p put) { p(float64(f.Questions)) }},
	{"pdpp_host_queue_length", Gauge, []string{"queue"}, "What waits: devices (requests that are taken in), commit (operations for the next transaction), index (changes that readers do not find yet)", func(f *figures, p put) {
		p(float64(f.deviceRequests), "devices")
		p(float64(f.Store.Queued), "commit")
		p(float64(f.Unindexed), "index")
	}},
	{"pdpp_host_ready", Gauge, []string{"check"}, "1 where a check of /readyz holds, else 0: store, scheduler, disk", func(f *figures, p put) {
		for _, c := range f.Checks {
			ok := 0.0
			if c.OK {
				ok = 1
			}
			p(ok, c.Name)
		}
	}},
	{"pdpp_host_records_total", Counter, []string{"change", "class"}, "Records that runs of this process brought, by class of stream: append_only (it never deletes), mutable_state; new, changed, unchanged and deleted ones are durable, rejected and suppressed ones (their owner has deleted them here) not stored", func(f *figures, p put) {
		records(&f.Appended, "append_only", p)
		records(&f.Stateful, "mutable_state", p)
	}},
	{"pdpp_host_resident_memory_bytes", Gauge, []string{"process"}, "Resident memory: host, workers (of all runs that go on); 0 where the system does not say", func(f *figures, p put) {
		p(float64(f.HostBytes), "host")
		p(float64(f.WorkerBytes), "workers")
	}},
	{"pdpp_host_runs_running", Gauge, nil, "Runs of this process that go on", func(f *figures, p put) { p(float64(f.Running)) }},
	{"pdpp_host_runs_total", Counter, []string{"outcome"}, "Runs of this process that ended: succeeded, failed, cancelled, refused (before they began)", func(f *figures, p put) {
		for _, outcome := range []string{run.StatusSucceeded, run.StatusFailed, run.StatusCancelled, serving.OutcomeRefused} {
			p(float64(f.Runs[outcome]), outcome)
		}
	}},
	{"pdpp_host_schedule_last_pass_timestamp_seconds", Gauge, nil, "When the scheduler last made a pass, or began to; absent before", func(f *figures, p put) {
		if !f.LastPass.IsZero() {
			p(float64(f.LastPass.UnixMilli()) / 1000)
		}
	}},
	{"pdpp_host_schedule_passes_total", Counter, nil, "Passes of the scheduler", func(f *figures, p put) { p(float64(f.Passes)) }},
	{"pdpp_host_store_connections", Gauge, []string{"state"}, "Connections of the store's read pool: idle, busy", func(f *figures, p put) {
		p(float64(f.Store.Readers-f.Store.ReadersBusy), "idle")
		p(float64(f.Store.ReadersBusy), "busy")
	}},
	{"pdpp_host_store_time_seconds_total", Counter, []string{"what"}, "Time spent at the store: writing (with the write lock), lock (waiting for it while another process has it), pool (readers waiting for a connection)", func(f *figures, p put) {
		p(f.Store.Writing.Seconds(), "writing")
		p(f.Store.LockWait.Seconds(), "lock")
		p(f.Store.ReaderWait.Seconds(), "pool")
	}},
	{"pdpp_host_store_transactions_total", Counter, nil, "Write transactions of this process", func(f *figures, p put) { p(float64(f.Store.Transactions)) }},
	{"pdpp_host_workers", Gauge, nil, "Worker processes now", func(f *figures, p put) { p(float64(f.Workers)) }},
}

func records(s *run.StreamUpdate, class string, p put) {
	p(float64(s.New), "new", class)
	p(float64(s.Changed), "changed", class)
	p(float64(s.Unchanged), "unchanged", class)
	p(float64(s.Deleted), "deleted", class)
	p(float64(s.Rejected), "rejected", class)
	p(float64(s.Suppressed), "suppressed", class)
}

// series is a name with its labels.
func (f *Family) series(values ...string) string {
	if len(values) == 0 {
		return f.Name
	}
	pairs := make([]string, len(values))
	for i, v := range values {
		pairs[i] = f.Labels[i] + "=" + strconv.Quote(v)
	}
	return f.Name + "{" + strings.Join(pairs, ",") + "}"
}
