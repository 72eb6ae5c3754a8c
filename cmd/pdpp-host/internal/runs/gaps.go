package runs

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// Bounds on what is shown of what a run did not collect, as text.
const (
	mostNamed      = 10 // names of one gap
	mostDetailGaps = 20
)

// uncollected says how much a run knows that it did not get, so that a run that
// succeeded with gaps is seen in the list (Invariant 8).
func uncollected(r *owner.Run) string {
	var result run.Result
	if r.Unreadable || len(r.Result) > 0 && json.Unmarshal(r.Result, &result) != nil {
		return "unknown"
	}
	if len(r.Result) == 0 {
		_ = json.Unmarshal(r.KnownGaps, &result.KnownGaps) // a run that has not ended has none yet
	}
	rejected := outcome.Rejected(&result)
	others := outcome.Gaps(&result)
	for _, g := range result.KnownGaps {
		if g.Kind == run.KindRejected {
			others -= max(g.Count, 1)
		}
	}
	var parts []string
	if others > 0 {
		parts = append(parts, output.Plural(others, "gap"))
	}
	if rejected > 0 {
		parts = append(parts, output.Count(rejected)+" rejected")
	}
	if left := outcome.LeftOut(&result); left > 0 {
		parts = append(parts, output.Count(left)+" left out by date")
	}
	return show.Dash(strings.Join(parts, ", "))
}

// writeNotCollected tells what a run knows that it did not get.
func writeNotCollected(w io.Writer, v *owner.Run) {
	var known []run.KnownGap
	_ = json.Unmarshal(v.KnownGaps, &known) // nil without any
	earlier := waiting(v)
	if len(known)+len(v.Gaps)+len(earlier) == 0 {
		return
	}
	fmt.Fprintln(w, "not collected")
	for _, g := range known {
		fmt.Fprintf(w, "  %s\n", output.Clean(outcome.GapLine(g)))
		if names := outcome.GapNames(g, mostNamed); names != "" {
			fmt.Fprintf(w, "    %s\n", output.Clean(names))
		}
	}
	for i, g := range v.Gaps {
		if i == mostDetailGaps {
			fmt.Fprintf(w, "  and %s; --json shows all of them\n", output.Plural(int64(len(v.Gaps)-i), "further detail"))
			break
		}
		fmt.Fprintf(w, "  %s\n", output.Clean(fmt.Sprintf("%s: a detail that is %s, %s: %s", g.Stream, g.Status, output.Plural(g.Attempts, "attempt"), outcome.DetailCopy(g.Reason, g.Class))))
		if g.Said != "" {
			fmt.Fprintf(w, "    the provider says %s\n", output.Clean("“"+g.Said+"”"))
		}
	}
	for _, g := range earlier {
		fmt.Fprintf(w, "  %s\n", output.Clean(fmt.Sprintf("%s: %s of earlier runs still to fetch: %s", g.Stream, output.Plural(g.Count, "detail"), outcome.DetailCopy(g.Reason, g.Class))))
	}
}

// waiting returns what was still to be fetched at the run's end and is not among
// the gaps that it found or asked for.
func waiting(v *owner.Run) []run.OpenGaps {
	var result run.Result
	_ = json.Unmarshal(v.Result, &result) // none of a run that has not ended
	var earlier []run.OpenGaps
	for _, open := range result.OpenGaps {
		for _, g := range v.Gaps {
			if g.Stream == open.Stream && g.Reason == open.Reason && g.Class == open.Class {
				open.Count--
			}
		}
		if open.Count > 0 {
			earlier = append(earlier, open)
		}
	}
	return earlier
}

// saysNothing reports whether an event is progress without a word or a number.
func saysNothing(e owner.Event) bool {
	if e.Type != "run.progress_reported" {
		return false
	}
	var p struct {
		Message string `json:"message"`
		Count   *int64 `json:"count"`
		Total   *int64 `json:"total"`
	}
	if len(e.Data) > 0 && json.Unmarshal(e.Data, &p) != nil {
		return false
	}
	return p.Message == "" && p.Count == nil && p.Total == nil
}

// eventWords is the message that an event carries, "" when it has none.
func eventWords(e owner.Event) string {
	var data struct {
		Message string `json:"message"`
	}
	if len(e.Data) == 0 || json.Unmarshal(e.Data, &data) != nil {
		return ""
	}
	return output.Cut(data.Message, 120)
}
