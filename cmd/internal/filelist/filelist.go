package filelist

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/leftover"
)

// Add adds the flags that say which files are not for a connection.
func Add(cmd *cobra.Command, c *leftover.Change) {
	cmd.Flags().StringArrayVar(&c.Ignore, "ignore", nil, "a file of the list, which may stay as it is, or files that need no reading: a name, as in *.bak, or FOLDER/; what the connector reads of them is collected all the same; may be repeated")
	cmd.Flags().StringArrayVar(&c.Heed, "heed", nil, "a pattern of --ignore that holds no longer; may be repeated")
}

// Tell prints the files of a connection.
func Tell(p *output.Printer, f *leftover.Files) error {
	return p.Result(summary(f), f, func(w io.Writer) { write(w, f) })
}

// summary sums the files up.
func summary(f *leftover.Files) string {
	n, amiss := int64(len(f.Unread))+f.More, f.AmissFiles()
	var parts []string
	if n > 0 {
		parts = append(parts, were(n, "not understood"))
	}
	if amiss > 0 {
		parts = append(parts, were(amiss, "damaged or not read"))
	}
	switch {
	case f.LookedAt == nil:
		return f.Connection + ": no run has looked at all of its folders yet"
	case len(parts) == 0:
		return f.Connection + ": every file was read or is ignored"
	}
	return f.Connection + ": " + strings.Join(parts, ", ")
}

func were(n int64, what string) string {
	if n == 1 {
		return "1 file was " + what
	}
	return output.Count(n) + " files were " + what
}

// write writes the files and the patterns, a line each.
func write(w io.Writer, f *leftover.Files) {
	fmt.Fprintln(w, summary(f))
	for _, u := range f.Unread {
		line := "  " + output.Clean(u.Root) + ": " + output.Clean(u.Path)
		if u.Kind != "" {
			line += "  (" + u.Kind + ")"
		}
		fmt.Fprintln(w, line)
	}
	if f.More > 0 {
		fmt.Fprintf(w, "  and %d more, which the next run counts anew\n", f.More)
	}
	for _, a := range f.Amiss {
		fmt.Fprintf(w, "  %s: %s  (%s: %s)\n", output.Clean(a.Root), output.Clean(a.Path), a.Word(), output.Clean(a.Reason))
	}
	for _, p := range f.Ignored {
		until := "now and later; what the connector reads of it is collected all the same"
		if f.IsAsItWas(p) {
			until = "as it was, until it changes"
		}
		fmt.Fprintf(w, "  ignored by you: %s  (%s)\n", output.Clean(p), until)
	}
	for _, r := range f.Rules {
		fmt.Fprintf(w, "  ignored by the connector: %s  %s\n", output.Clean(r.Pattern), output.Clean(r.Reason))
	}
}
