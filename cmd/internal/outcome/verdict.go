package outcome

import (
	"fmt"
	"io"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/view"
)

// WriteVerdict tells how the connection is now that its run has ended, in the
// verdict's own words. command is what does the first of what there is to do, ""
// when no command does. name is "" where the details stand below.
func WriteVerdict(w io.Writer, s output.Style, name string, b *view.Brief, command string, advise Advise) {
	fmt.Fprintf(w, "%s  %s\n", s.Pill(string(b.Pill.Tone), b.Pill.Label), b.ForwardStatement)
	for _, note := range b.Notes() {
		fmt.Fprintf(w, "  %s\n", note)
	}
	step, owners := b.Primary()
	if !owners {
		return
	}
	line := "  you can: " + step
	if command != "" {
		line += ": " + advise(command)
	}
	if b.MoreActions > 0 {
		line += fmt.Sprintf("    +%d more", b.MoreActions)
	}
	if name != "" {
		line += "    details: " + advise("pdpp-host status "+output.Clean(name)+" --detail")
	}
	fmt.Fprintln(w, line)
}
