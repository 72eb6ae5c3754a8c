package serve

import (
	"fmt"
	"io"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/schedule"
)

// onceView is what one pass did about one connection.
type onceView struct {
	Connection string          `json:"connection"`
	Trigger    string          `json:"trigger"`
	Did        string          `json:"did"` // ran, refused, skipped
	Reason     string          `json:"reason,omitempty"`
	Said       string          `json:"said,omitempty"`            // by the refusal that it waits behind
	Waits      bool            `json:"waits_for_owner,omitempty"` // to do something
	Until      *time.Time      `json:"until,omitempty"`
	RunID      string          `json:"run_id,omitempty"`
	Status     string          `json:"status,omitempty"`
	Runs       int             `json:"runs,omitempty"` // those that were tried again with it
	Error      *output.Problem `json:"error,omitempty"`

	failed bool
}

func viewOnce(l *schedule.Looked) onceView {
	v := onceView{Connection: l.Connection, Trigger: string(l.Trigger), Did: "skipped", Reason: string(l.Reason), Said: l.Says, Waits: l.Waits, Runs: l.Runs}
	if !l.At.IsZero() {
		v.Until = &l.At
	}
	switch {
	case l.Run != nil && l.Started:
		v.Did, v.RunID, v.Status, v.Reason = "ran", l.Run.RunID, l.Run.Status, l.Run.Code
		v.failed = l.Run.Status != run.StatusSucceeded && l.Run.Status != run.StatusCancelled
	case l.Err != nil:
		v.Did, v.Error, v.failed = "refused", output.ProblemOf(l.Err), true
	}
	return v
}

// onceCounts is what one pass came to. A refused dispatch is not a run.
type onceCounts struct{ ran, failed, stopped, refused, skipped, waiting int64 }

// add counts what was done about a connection. Of several runs in one dispatch all
// but the last have failed, or it would not have been tried again.
func (n *onceCounts) add(v *onceView) {
	runs := int64(v.Runs)
	n.ran += runs
	switch {
	case v.Did == "ran":
		n.failed += runs - 1
		if v.failed {
			n.failed++
		}
		if v.Status == run.StatusCancelled {
			n.stopped++
		}
	case v.failed:
		n.failed += runs
		n.refused++
	default:
		n.failed += runs
		n.skipped++
		if v.Waits {
			n.waiting++
		}
	}
}

// unwell reports whether the owner has something to look at: what failed now, or still waits
// for them since an earlier pass. A timer such as cron only learns whether the command ended
// with 0.
func (n *onceCounts) unwell() bool { return n.failed+n.refused+n.waiting > 0 }

func (n *onceCounts) text() string {
	text := fmt.Sprintf("%s, %d failed", output.Plural(n.ran, "run"), n.failed)
	if n.stopped > 0 {
		text += fmt.Sprintf(", %d stopped", n.stopped)
	}
	text += fmt.Sprintf("; %d refused, %d skipped", n.refused, n.skipped)
	if n.waiting > 0 {
		text += fmt.Sprintf(", %d waiting for you", n.waiting)
	}
	return text
}

// hint says where to see why. A refused dispatch is not a run: a list of them names it beside
// them.
func (n *onceCounts) hint() string {
	switch {
	case n.refused+n.waiting == 0:
		return "see why with: pdpp-host runs list"
	case n.failed == 0:
		return "see what to do about it with: pdpp-host status"
	}
	return "see why with: pdpp-host runs list   and what to do about the others with: pdpp-host status"
}

// tellOnce tells what one pass did. It fails when a connection did, or waits for its
// owner.
func tellOnce(s *session.Session, looked []schedule.Looked) error {
	views := make([]onceView, len(looked))
	var n onceCounts
	for i := range looked {
		views[i] = viewOnce(&looked[i])
		if p := views[i].Error; p != nil {
			p.Hint = s.Advice(p.Hint)
		}
		n.add(&views[i])
	}
	summary := n.text()
	result := map[string]any{"connections": views}
	text := func(w io.Writer) {
		if s.Flags.Quiet {
			return
		}
		rows := make([][]string, len(views))
		for i := range views {
			rows[i] = views[i].row()
		}
		if len(rows) == 0 {
			fmt.Fprintln(w, s.Advice(show.NoConnections))
			return
		}
		output.Table(w, s.Printer.Style, []string{"connection", "did", "why", "until"}, rows)
	}
	if !n.unwell() {
		return s.Printer.Result(summary, result, text)
	}
	err := abi.NewError(codeServeFailed, summary, n.hint())
	if err := s.Printer.Failed(summary, result, s.Advised(err), text); err != nil {
		return err
	}
	return &exitcode.Ended{Err: err}
}

// codeServeFailed says that a pass of `serve --once` met connections that failed, or
// that wait for their owner.
const codeServeFailed abi.Code = "run.some_failed"

func (v *onceView) row() []string {
	why, until := v.Reason, "-"
	switch {
	case v.Error != nil:
		why = v.Error.Message
	case v.Did == "skipped":
		why = show.Reason(schedule.Reason(v.Reason))
		if v.Said != "" {
			why += ": " + v.Said
		}
	}
	did := v.Did
	if v.Status != "" {
		did = v.Status
	}
	if v.Until != nil {
		until = output.Timestamp(*v.Until)
	}
	return []string{output.Clean(v.Connection), did, output.Clean(show.Dash(why)), until}
}
