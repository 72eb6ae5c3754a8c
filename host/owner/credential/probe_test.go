package credential

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Invariant 5: what is kept of a credential of the environment tells it apart from
// another one, of one connection, and says nothing else of it.
func TestEnvironmentMark(t *testing.T) {
	t.Parallel()
	fields := []abi.CredentialField{{Name: "user", Env: []string{"DEMO_USER"}}, {Name: "token", Env: []string{"DEMO_TOKEN", "DEMO_KEY"}}}
	mark := func(connection, text string, stored ...string) string {
		var kept []storage.StoredCredential
		for _, f := range stored {
			kept = append(kept, storage.StoredCredential{Field: f})
		}
		getenv := func(name string) string {
			_, rest, _ := strings.Cut(text, name+"=")
			value, _, _ := strings.Cut(rest, ";")
			return value
		}
		return environmentMark(&storage.Connection{ID: connection}, fields, kept, getenv)
	}
	const token = "DEMO_TOKEN=hunter2-hunter2"
	was := mark("a", token)
	if len(was) != 2*markBytes || strings.Contains(was, "hunter") {
		t.Errorf("%q", was)
	}
	for what, same := range map[string]bool{
		mark("a", token): true, mark("b", token): false, mark("a", "DEMO_TOKEN=hunter3-hunter3"): false,
		mark("a", token, "user"): true, mark("a", "DEMO_KEY=hunter2-hunter2"): true,
		mark("a", "DEMO_USER=hunter2-hunter2"): false, mark("a", "DEMO_USER=ada;"+token): false,
	} {
		if (what == was) != same {
			t.Errorf("%q, and it was %q", what, was)
		}
	}
	for _, none := range []string{mark("a", ""), mark("a", token, "token"), mark("a", "OTHER_TOKEN=x")} {
		if none != "" {
			t.Errorf("%q of nothing", none)
		}
	}
}
