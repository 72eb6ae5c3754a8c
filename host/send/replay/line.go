package replay

import (
	"encoding/json"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

// Input is one line of a replay. Op decides which other fields are read:
//
//	governor  a new governor from Profile, or a bare Name; with Run, Retries, Random and Cursor
//	advance   MS pass
//	request   one request of Method and Path, answered by Answers in order
//	snapshot  where the pace stands
//	persist   the learned rate on the cursor of stream Stream; Declared names the run's streams
//
// A new governor keeps the clock, so that two of them are two runs.
type Input struct {
	ID       any           `json:"id,omitempty"` // repeated in the output
	Op       string        `json:"op"`
	Name     string        `json:"name,omitempty"`
	Profile  *send.Profile `json:"profile,omitempty"`
	Run      *RunBudget    `json:"run_budget,omitempty"`
	Retries  *RetryBudget  `json:"retry_budget,omitempty"`
	Random   *float64      `json:"random,omitempty"` // every draw of the jitter, from 0 to 1; default 0.5
	Cursor   abi.Raw       `json:"cursor,omitempty"`
	MS       int64         `json:"ms,omitempty"`
	Method   string        `json:"method,omitempty"`
	Path     string        `json:"path,omitempty"`
	Count    int           `json:"count,omitempty"` // requests, one after the other; default 1
	Answers  []Answer      `json:"answers,omitempty"`
	Stream   string        `json:"stream,omitempty"`
	Declared []string      `json:"declared,omitempty"`
}

// RunBudget bounds the requests and the time of the run.
type RunBudget struct {
	MaxRequests    int64 `json:"max_requests"`
	MaxWallClockMS int64 `json:"max_wall_clock_ms"`
}

// RetryBudget bounds the retries of the run.
type RetryBudget struct {
	Capacity float64 `json:"capacity"`
	Deposit  float64 `json:"deposit"`
}

// Answer is the provider's answer to one attempt. The last one of a request is
// repeated as often as needed; without any, every attempt gets a 200.
type Answer struct {
	Status    int               `json:"status,omitempty"` // default 200
	LatencyMS int64             `json:"latency_ms,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Error     bool              `json:"error,omitempty"` // no answer: a transport error
}

// Output is the result of one input line. Times are milliseconds since the start.
type Output struct {
	ID         any                 `json:"id,omitempty"`
	Op         string              `json:"op,omitempty"`
	AtMS       float64             `json:"at_ms"`
	Steps      []Step              `json:"steps,omitempty"`
	Status     int                 `json:"status,omitempty"`
	Stop       *Stop               `json:"stop,omitempty"`
	Snapshot   *send.Snapshot      `json:"snapshot"` // null: pacing is off
	Rate       *abi.CollectionRate `json:"collection_rate,omitempty"`
	Cursor     json.RawMessage     `json:"cursor,omitempty"`
	DoubleWait int                 `json:"double_waits,omitempty"`
	Error      *Problem            `json:"error,omitempty"`
}

// Step is one action of the governor. Kinds: wait, send, answer, backoff, circuit.
type Step struct {
	Kind    string           `json:"kind"`
	AtMS    float64          `json:"at_ms"`
	Attempt int              `json:"attempt,omitempty"`
	MS      float64          `json:"ms,omitempty"`
	Lane    string           `json:"endpoint,omitempty"`
	Status  int              `json:"status,omitempty"`
	Circuit *send.Transition `json:"circuit,omitempty"`
}

// Stop is a request without a usable answer.
type Stop struct {
	Error        string          `json:"error"`
	Reason       abi.Reason      `json:"reason"`
	GapReason    abi.Reason      `json:"gap_reason"`
	ArmsCooldown bool            `json:"arms_cooldown"`
	Attempts     int             `json:"attempts"`
	Status       int             `json:"status,omitempty"`
	NextAtMS     *float64        `json:"next_attempt_at_ms,omitempty"`
	Record       send.StopRecord `json:"record"`
}

// Problem is the error of a line that could not be executed.
type Problem struct {
	Code    abi.Code `json:"code"`
	Message string   `json:"message"`
	Hint    string   `json:"hint,omitempty"`
}
