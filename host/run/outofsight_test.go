package run

import (
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// AC-02: what the host or the connector did not look behind is named with the step that lets it.
func TestWhatIsOutOfSightHasAStep(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		plugin.KindUnlisted: "let this host's user list the folder",
		plugin.KindLink:     "give the connection the folder that the link leads to",
		plugin.KindZip:      "if the archive has what this connection collects, unpack it there",
		plugin.KindGzip:     "if the archive has what this connection collects, unpack it there",
		"text":              "",
	} {
		b := &storage.Books{}
		for i := range maxNamedKeys {
			b.Unread = append(b.Unread, storage.UnreadFile{Root: "r", Path: "a" + strconv.Itoa(i)})
		}
		b.Unread = append(b.Unread, storage.UnreadFile{Root: "r", Path: "b", Kind: kind})
		g := Unexplained(b)
		if _, advice, _ := strings.Cut(g.Message, "; "); !strings.HasPrefix(advice, want) || want == "" && advice != "" {
			t.Errorf("%s: got %q, want %q", kind, g.Message, want)
		}
		if names, _ := g.Named(); (names[0] == "b ("+kind+")") != (want != "") {
			t.Errorf("%s: got %q named, want the file of the step first", kind, names)
		}
	}
}
