package debug

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Command holds what shows the inside of the host.
func Command(s *session.Session) *cobra.Command {
	cmd := s.Group("debug", "Try the host's own rules on input of yours", nil)
	cmd.AddCommand(healthCommand(s), governorCommand(s))
	return cmd
}

func healthCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "health", Short: "Health and verdict as a filter of JSON Lines", Args: syntax.Takes(),
		Long: `Reads one JSON object a line, {"id","op","input"}, and answers each with one line, in order:
{"id","output"}, or {"id","error"} with a code and a message. Reads no store and asks no clock.

op is one of: ` + healthOpNames(),
		RunE: func(*cobra.Command, []string) error {
			if err := filterHealth(s.In, s.Out); err != nil {
				return err
			}
			s.Printer.Raw()
			return nil
		},
	}
}

// maxHealthLine bounds one line of the filter, in bytes.
const maxHealthLine = 16 << 20

// question is one line in, answer one line out.
type question struct {
	ID    json.RawMessage `json:"id"`
	Op    string          `json:"op"`
	Input json.RawMessage `json:"input"`
}

type answer struct {
	ID     json.RawMessage `json:"id"`
	Output any             `json:"output,omitempty"`
	Error  *answerError    `json:"error,omitempty"`
}

type answerError struct {
	Code    abi.Code `json:"code"`
	Message string   `json:"message"`
}

// filterHealth answers every line of in. A line that cannot be answered gets an
// error of its own and ends nothing.
func filterHealth(in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 1<<16)
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for {
		line, err := readLine(r, maxHealthLine)
		var failed *abi.Error
		if err != nil && !errors.As(err, &failed) {
			break
		}
		if failed == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		reply := answer{ID: json.RawMessage("null")}
		if failed == nil {
			reply, failed = answerHealth(line)
		}
		if failed != nil {
			reply.Error = &answerError{failed.Code, failed.Message}
		}
		if err := enc.Encode(reply); err != nil {
			return err
		}
		// A caller that sends line by line waits for each answer.
		if r.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// readLine returns the next line without its end; io.EOF after the last. A line
// that is longer than limit is skipped, and the error says so.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for tooLong := false; ; {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > limit; !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(line) == 0 && !tooLong:
			return nil, err
		case tooLong:
			return nil, syntax.Usage("a line is longer than 16 MiB", "")
		}
		return bytes.TrimSuffix(line, []byte("\n")), nil
	}
}

func answerHealth(line []byte) (answer, *abi.Error) {
	reply := answer{ID: json.RawMessage("null")}
	var q question
	if err := decodeStrictly(line, &q); err != nil {
		return reply, syntax.Usage("the line is no {id, op, input}: "+err.Error(), "")
	}
	if len(q.ID) > 0 {
		reply.ID = q.ID
	}
	i := slices.IndexFunc(healthOps, func(o healthOp) bool { return o.name == q.Op })
	if i < 0 {
		return reply, syntax.Usage("op is none of: "+healthOpNames(), "")
	}
	output, err := healthOps[i].answer(q.Input)
	if err != nil {
		return reply, syntax.Usage("the input does not fit op "+q.Op+": "+err.Error(), "")
	}
	reply.Output = output
	return reply, nil
}

// decodeStrictly refuses names that nobody reads: a mistyped one would be read
// as evidence that is missing.
func decodeStrictly(b []byte, to any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(to); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

// healthOp is one function of health or verdict under its name.
type healthOp struct {
	name   string
	answer func(input []byte) (any, error)
}

// op makes a healthOp of a function over a decoded input.
func op[In any](name string, answer func(In) any) healthOp {
	return healthOp{name, func(input []byte) (any, error) {
		var in In
		if err := decodeStrictly(input, &in); err != nil {
			return nil, err
		}
		return answer(in), nil
	}}
}

func healthOpNames() string {
	names := ""
	for _, o := range healthOps {
		if names != "" {
			names += " "
		}
		names += o.name
	}
	return names
}

// fields is an output with a few names.
type fields map[string]any

var healthOps = []healthOp{
	op("project", func(in health.Evidence) any { return health.Project(in) }),
	op("verdict", func(in verdict.Input) any {
		v := verdict.Synthesize(in)
		return struct {
			verdict.RenderedVerdict
			Push bool `json:"push"`
		}{v, verdict.ShouldPush(v)}
	}),
	op("forward_disposition", func(in health.DispositionInput) any {
		return fields{"forward_disposition": health.ForwardDisposition(in)}
	}),
	op("outbox_axis", func(in heartbeatsInput) any {
		counts := health.RollupOutboxCounts(in.Heartbeats)
		r := health.OutboxAxis(in.Heartbeats, in.Now, in.threshold())
		return struct {
			health.OutboxReading
			Counts   *health.OutboxCounts `json:"outbox_counts"`
			Eligible bool                 `json:"local_device_verdict_eligible"`
		}{r, counts, r.Axis == health.OutboxIdle && !counts.Stuck()}
	}),
	op("detail_gap_backlog", func(in health.DetailGaps) any {
		return fields{"detail_gap_backlog": health.DetailGapBacklog(&in)}
	}),
	op("local_coverage", func(in localCoverageInput) any {
		c := health.SelectCoverage(health.Coverage{Axis: in.RunAxis}, &in.LocalCoverage)
		return fields{"coverage_axis": c.Axis, "degrading": c.Axis.Degrading()}
	}),
	op("run_coverage", func(in runCoverageInput) any {
		c := health.RunCoverage(in.Run, in.Pending, in.Streams)
		d := health.ForwardDisposition(health.DispositionInput{
			Coverage: c.Axis, GapRetryable: c.Axis == health.CoverageRetryableGap, Accepted: !c.RequiredButAccepted,
		})
		return fields{"coverage_axis": c.Axis, "required_but_accepted": c.RequiredButAccepted, "streams": c.Streams, "forward_disposition": d}
	}),
	op("satisfaction", func(in satisfactionInput) any {
		return fields{"satisfied": verdict.Satisfied(in.Action, in.Evidence)}
	}),
	op("progress_mode", func(in verdict.ModeInput) any { return fields{"mode": verdict.ProgressMode(in)} }),
	op("sort_actions", func(in sortInput) any {
		actions := make([]verdict.RequiredAction, len(in.Urgencies))
		for i, u := range in.Urgencies {
			actions[i].Urgency = u
		}
		verdict.SortActions(actions)
		order := make([]verdict.Urgency, len(actions))
		for i := range actions {
			order[i] = actions[i].Urgency
		}
		return fields{"order": order}
	}),
}

type heartbeatsInput struct {
	Now        health.Instant     `json:"now"`
	ThresholdS *int64             `json:"stale_heartbeat_threshold_s"`
	Heartbeats []health.Heartbeat `json:"heartbeats"`
}

func (in *heartbeatsInput) threshold() time.Duration {
	if in.ThresholdS == nil {
		return health.StaleHeartbeat
	}
	return time.Duration(*in.ThresholdS) * time.Second
}

type localCoverageInput struct {
	health.LocalCoverage
	RunAxis health.CoverageAxis `json:"run_axis"`
}

type runCoverageInput struct {
	Run     *health.RunEvidence     `json:"run"`
	Pending []health.PendingGap     `json:"pending_detail_gaps"`
	Streams []health.ManifestStream `json:"manifest_streams"`
}

type satisfactionInput struct {
	Action   verdict.RequiredAction       `json:"action"`
	Evidence verdict.SatisfactionEvidence `json:"evidence"`
}

type sortInput struct {
	Urgencies []verdict.Urgency `json:"urgencies"`
}
