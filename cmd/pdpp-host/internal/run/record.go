package run

import (
	"fmt"
	"io"
	"strings"

	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// tellRecorded is tell, for a run that may have a recording. One that was asked for and
// is not whole fails a run that succeeded; what was collected stays.
func tellRecorded(s *session.Session, ended *running.Ended, typed string) error {
	r := ended.Recording
	if r == nil {
		return printOutcome(s, ended, typed)
	}
	if r.Broken != nil && ended.Status == run.StatusSucceeded {
		text := func(w io.Writer) { outcome.Write(w, s.Printer.Style, ended.Result, "", s.Advice) }
		if err := s.Printer.Failed(outcome.Summary(ended.Result), result{ended.Result, ended.Verdict}, r.Broken, text); err != nil {
			return err
		}
		return r.Broken
	}
	err := printOutcome(s, ended, typed)
	switch {
	case r.Broken != nil:
		fmt.Fprintf(s.Err, "%s %s: %s   [%s]\n", s.Printer.ErrStyle.Yellow("warning:"), output.Clean(r.Path),
			output.Clean(output.Typed(r.Broken).Message), output.Typed(r.Broken).Code)
	case !s.Flags.Quiet && !s.Printer.JSON:
		fmt.Fprintf(s.Err, "recorded to %s: %s, %s, %s    replay it with: %s\n", output.Clean(r.Path),
			output.Plural(int64(r.Requests), "request"), output.Plural(int64(r.Answers), "answer"), output.Bytes(r.Bytes), s.Advice(replayedBy(r)))
	}
	return err
}

// replayedBy is the command that replays the recording.
func replayedBy(r *running.Recording) string {
	path := r.Path
	if strings.HasPrefix(path, "-") {
		path = "./" + path // or it would be a flag
	}
	command := "pdpp-host plugin replay " + syntax.Quoted(path)
	if r.Module != "" {
		command += " " + syntax.Quoted(r.Module)
	}
	return command
}
