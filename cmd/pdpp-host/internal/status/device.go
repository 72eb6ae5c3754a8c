package status

import (
	"fmt"
	"io"
	"slices"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// writeDevicePart tells it: what is stuck, on which host what is to be typed, and
// what for. A remedy is never behind anything (HL-08). said is what stands above it
// already.
func writeDevicePart(w io.Writer, p *owner.DevicePart, said ...string) {
	if p.Uploading != nil {
		fmt.Fprintf(w, "  %s\n", output.Clean(p.Uploading.Text))
	}
	if o := p.Outbox; o != nil {
		if line := o.Label + ": " + o.Scale; o.Scale != "" {
			fmt.Fprintf(w, "  %s\n", output.Clean(line))
		} else if !slices.Contains(said, o.Label) {
			fmt.Fprintf(w, "  %s\n", output.Clean(o.Label))
		}
	}
	if r := p.Recovery; r != nil {
		if !slices.Contains(said, r.Summary) {
			fmt.Fprintf(w, "  %s\n", output.Clean(r.Summary))
		}
		writeRecovery(w, r)
	}
	if o := p.Outbox; o != nil && o.Command != "" && !named(p.Recovery, o.Command) {
		fmt.Fprintf(w, "    Look at it there, which changes nothing:\n      %s\n", output.Clean(o.Command))
	}
	for i := range p.Devices {
		d := &p.Devices[i]
		fmt.Fprintf(w, "  fed by %s\n", output.Clean(show.Feed(d)))
		for _, l := range show.News(&d.FeedNews, d.DeviceID) {
			fmt.Fprintf(w, "    %s\n", output.Clean(l))
		}
	}
	for i := range p.Drift[:min(len(p.Drift), mostDrift)] {
		d := &p.Drift[i]
		fmt.Fprintf(w, "  %s; the records are taken, last changed %s\n", output.Clean(d.String()), output.Timestamp(d.At))
	}
	if more := len(p.Drift) - mostDrift; more > 0 {
		fmt.Fprintf(w, "  and %d more fields of another type than before; --json lists them\n", more)
	}
}

// mostDrift is how many fields of another type than before are listed.
const mostDrift = 5

func writeRecovery(w io.Writer, r *view.RecoveryPanel) {
	if r.Unavailable {
		fmt.Fprintln(w, "    Which of its devices is meant cannot be told, so there is no command to copy.")
		return
	}
	fmt.Fprintf(w, "    On %s:\n", output.Clean(r.Host))
	for _, c := range r.Commands {
		fmt.Fprintf(w, "    %s. %s\n      %s\n", output.Clean(c.Label), output.Clean(c.Purpose), output.Clean(c.Command))
	}
}

// named reports whether a recovery has the command already.
func named(r *view.RecoveryPanel, command string) bool {
	if r == nil {
		return false
	}
	for _, c := range r.Commands {
		if c.Command == command {
			return true
		}
	}
	return false
}
