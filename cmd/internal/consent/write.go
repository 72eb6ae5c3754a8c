package consent

import (
	"fmt"
	"io"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// Write shows the terms to an owner. tilde shortens a path below the home folder.
func Write(w io.Writer, t *modules.Terms, tilde func(string) string) {
	line := func(name, value string) { fmt.Fprintf(w, "  %-10s %s\n", name, output.Clean(value)) }
	m, f := t.Module.Manifest, t.Module.File
	fmt.Fprintf(w, "%s asks for:\n", output.Clean(m.ConnectorKey+" "+m.Version))
	line("module", tilde(f.Path)+"  sha256 "+f.SHA256)
	for _, a := range t.Asks {
		line(a.What, a.Value)
	}
	for _, a := range t.ByName {
		line("by name", a.What+" "+a.Value)
	}
}
