package run

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// result is the result of `run`, with how the connection is after it.
type result struct {
	*run.Result

	Verdict *verdict.RenderedVerdict `json:"verdict"` // null: it could not be read
}

// printOutcome writes the outcome and returns the error that the exit status is of. typed is
// how the module was named.
func printOutcome(s *session.Session, ended *running.Ended, typed string) error {
	r, todo, shown := ended.Result, step(ended, typed), result{ended.Result, ended.Verdict}
	text := func(w io.Writer) {
		if s.Flags.Quiet {
			return
		}
		outcome.Write(w, s.Printer.Style, r, todo, s.Advice)
		if ended.Verdict != nil {
			b := view.BriefOf(ended.Verdict)
			outcome.WriteVerdict(w, s.Printer.Style, r.Connection, &b, todo, s.Advice)
			show.WriteRejected(w, s.Advice, r.Connection, ended.Rejected)
		}
		if line := nothingFound(s, r); line != "" {
			fmt.Fprintln(w, "  "+line)
		}
	}
	if r.Status == run.StatusSucceeded {
		return s.Printer.Result(outcome.Summary(r), shown, text)
	}
	failure := outcome.Error(r, todo)
	if failure.Hint == "" && (s.Flags.Quiet || s.Printer.JSON) { // the text above is not there
		failure = failure.WithHint("type: " + todo)
	}
	if err := s.Printer.Failed(outcome.Summary(r), shown, s.Advised(failure), text); err != nil {
		return err
	}
	if r.Error != nil && r.Error.Log != "" {
		s.Logger.Debug("the guest wrote to standard error", "run", r.RunID, "text", r.Error.Log)
		if !s.Printer.JSON { // there it is result.error.log
			for _, line := range outcome.LogEnd(r.Error.Log) {
				fmt.Fprintln(s.Err, "  it wrote: "+line)
			}
		}
	}
	cancelled := r.Status == run.StatusCancelled && r.Reason != string(abi.ReasonConnectorReportedCancelled)
	return &exitcode.Ended{Err: failure, Cancelled: cancelled, OwnerNeeded: r.OwnerNeeded}
}

// step is the command for what the connection's verdict asks of the owner, "" for
// none.
func step(ended *running.Ended, typed string) string {
	if ended.Verdict == nil {
		return ""
	}
	about := show.Subject{Connection: ended.Connection, Connector: ended.Connector}
	if modules.IsPath(typed) {
		about.Module = typed
	}
	b := view.BriefOf(ended.Verdict)
	return show.Step(&b, about)
}

// nothingFound says where a run looked that found nothing to collect there; "" when
// it said no such thing.
func nothingFound(s *session.Session, r *run.Result) string {
	if !slices.ContainsFunc(r.KnownGaps, func(g run.KnownGap) bool { return g.Reason == "nothing_found" }) {
		return ""
	}
	var folders []string
	for _, root := range r.Roots {
		folders = append(folders, s.Tilde(root.Path))
	}
	line := "nothing to collect was found"
	if len(folders) > 0 {
		line += " in " + output.Clean(strings.Join(folders, " and "))
	}
	return line
}
