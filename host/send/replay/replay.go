package replay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

// CodeLineInvalid reports a line that is not a valid input.
const CodeLineInvalid abi.Code = "send.replay_line_invalid"

const (
	maxLine  = 1 << 20
	maxCount = 100_000
	longest  = int64(366 * 24 * time.Hour / time.Millisecond)
	// stepsShown bounds the steps of one output line.
	stepsShown = 10_000
)

// epoch is the start of the virtual clock.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Run reads inputs from in until it ends and writes one output a line to out. A line
// that cannot be executed yields an output with an error, and the next one is read;
// Run itself fails only if reading, writing or ctx does.
func Run(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	to := json.NewEncoder(out)
	s := &session{clock: send.NewVirtualClock(epoch)}
	for lines.Scan() {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := to.Encode(s.line(ctx, line)); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return abi.NewError(CodeLineInvalid, fmt.Sprintf("a line is longer than %d bytes", maxLine), "give one JSON object a line")
	}
	return lines.Err()
}

// session is one replay: a clock and the current governor. It is also the governor's
// transport.
type session struct {
	clock    *send.VirtualClock
	governor *send.Governor
	steps    []Step
	answers  []Answer
	next     int
}

// RoundTrip returns the scripted answers.
func (s *session) RoundTrip(req *http.Request) (*http.Response, error) {
	a := Answer{Status: http.StatusOK}
	if len(s.answers) > 0 {
		a = s.answers[min(s.next, len(s.answers)-1)]
		s.next++
	}
	s.clock.Advance(time.Duration(min(a.LatencyMS, longest)) * time.Millisecond)
	if a.Error {
		return nil, errors.New("no answer")
	}
	h := make(http.Header)
	for name, value := range a.Headers {
		h.Set(name, value)
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	return &http.Response{StatusCode: a.Status, Header: h, Body: http.NoBody, Request: req}, nil
}

func (s *session) line(ctx context.Context, line []byte) Output {
	var in Input
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&in)
	if err == nil && decoder.More() {
		err = errors.New("more than one value")
	}
	if err != nil {
		return s.problem(Output{}, invalid("a line is not a valid input: "+err.Error()))
	}
	s.steps = nil
	out := Output{ID: in.ID, Op: in.Op}
	if err := s.do(ctx, &in, &out); err != nil {
		return s.problem(out, err)
	}
	return s.finish(out)
}

func (s *session) do(ctx context.Context, in *Input, out *Output) error {
	switch in.Op {
	case "governor":
		return s.open(in)
	case "advance":
		if in.MS < 0 || in.MS > longest {
			return invalid("ms must be between 0 and a year")
		}
		s.clock.Advance(time.Duration(in.MS) * time.Millisecond)
		return nil
	case "request", "snapshot", "persist":
	default:
		return invalid("op must be one of governor, advance, request, snapshot, persist")
	}
	if s.governor == nil {
		return invalid("there is no governor yet")
	}
	switch in.Op {
	case "request":
		return s.request(ctx, in, out)
	case "persist":
		cursor, err := s.governor.Snapshot().Learned().Persist(in.Declared, in.Stream, in.Cursor, s.clock.Now())
		out.Cursor = json.RawMessage(cursor)
		return err
	}
	out.Rate = s.governor.CollectionRate()
	return nil
}

func (s *session) open(in *Input) error {
	profile := send.Profile{}
	if in.Profile != nil {
		profile = *in.Profile
	}
	if in.Name != "" {
		profile.Name = in.Name
	}
	random := 0.5
	if in.Random != nil {
		random = *in.Random
	}
	if random < 0 || random > 1 {
		return invalid("random must be between 0 and 1")
	}
	deps := send.Deps{
		Transport: s, Clock: s.clock, Random: func() float64 { return random },
		Observe: s.observe, Learned: send.Restore(in.Cursor, s.clock.Now()),
	}
	if b := in.Run; b != nil {
		deps.Run = send.NewRunBudget(b.MaxRequests, time.Duration(min(b.MaxWallClockMS, longest))*time.Millisecond)
	}
	if b := in.Retries; b != nil {
		deps.Retries = send.NewRetryBudget(b.Capacity, b.Deposit)
	}
	g, err := send.New(profile, deps)
	if err == nil {
		s.governor = g
	}
	return err
}

func (s *session) request(ctx context.Context, in *Input, out *Output) error {
	if in.Count < 0 || in.Count > maxCount {
		return invalid(fmt.Sprintf("count must be between 1 and %d", maxCount))
	}
	method := in.Method
	if method == "" {
		method = http.MethodGet
	}
	s.answers, s.next = in.Answers, 0
	for range max(in.Count, 1) {
		req, err := http.NewRequestWithContext(ctx, method, "https://provider.example/", http.NoBody)
		if err != nil {
			return invalid("method is not an HTTP method")
		}
		if in.Path != "" {
			req.URL.Path = in.Path
		}
		resp, err := s.governor.Do(ctx, req)
		if stop := (*send.Stop)(nil); errors.As(err, &stop) {
			out.Stop = s.stopOf(stop)
			return nil
		}
		if err != nil {
			return err
		}
		out.Status = resp.Status
	}
	return nil
}

func (s *session) stopOf(stop *send.Stop) *Stop {
	v := &Stop{
		Error: stop.Error(), Reason: stop.Reason, GapReason: stop.GapReason(), ArmsCooldown: stop.ArmsCooldown(),
		Attempts: stop.Attempts, Status: stop.Status, Record: stop.Record,
	}
	if !stop.NextAttempt.IsZero() {
		v.NextAtMS = new(since(stop.NextAttempt))
	}
	return v
}

func (s *session) observe(e send.Event) {
	if e.Kind == send.EventHold { // on a virtual clock a wait is over when it begins
		return
	}
	if len(s.steps) < stepsShown {
		s.steps = append(s.steps, Step{
			Kind: string(e.Kind), AtMS: since(e.At), Attempt: e.Attempt, MS: millis(e.Duration),
			Lane: e.Lane, Status: e.Status, Circuit: e.Circuit,
		})
	}
}

func (s *session) finish(out Output) Output {
	out.AtMS, out.Steps = since(s.clock.Now()), s.steps
	if s.governor != nil {
		out.Snapshot, out.DoubleWait = s.governor.Snapshot(), s.governor.DoubleWaits()
	}
	return out
}

func (s *session) problem(out Output, err error) Output {
	p := &Problem{Code: abi.CodeOf(err), Message: err.Error()}
	if typed := (*abi.Error)(nil); errors.As(err, &typed) {
		p.Message, p.Hint = typed.Message, typed.Hint
		if typed.Detail != "" {
			p.Message += ": " + typed.Detail
		}
	}
	out.Error = p
	return s.finish(out)
}

func since(t time.Time) float64 { return millis(t.Sub(epoch)) }

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func invalid(message string) *abi.Error {
	return abi.NewError(CodeLineInvalid, message, "see: pdpp-host debug governor --help")
}
