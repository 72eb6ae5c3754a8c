package chain

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
)

// Another address of the owner's server is another source: a run at it is refused, and nothing
// of what the first one gave is deleted, until the owner means it.
func TestOwnServerThatIsAnother(t *testing.T) {
	t.Parallel()
	s := served(t, "jellyfin", 30)
	o := newOwner(t, s.Handler, s.Variables)
	o.runs(0, "jellyfin")
	before := o.export("jellyfin", "items")
	empty, err := sample.New("jellyfin", options(1))
	if err != nil {
		t.Fatal(err)
	}
	other := httptest.NewServer(empty.Handler)
	t.Cleanup(other.Close)
	o.setenv("PDPP_NETWORK_ALLOW_PRIVATE", strings.TrimPrefix(o.url, "http://")+","+strings.TrimPrefix(other.URL, "http://"))
	said := o.says(2, "run", "jellyfin", "--set", "base_url="+other.URL, "--force")
	if !strings.Contains(string(said.stderr), "[connection.origin_changed]") {
		t.Errorf("the run says %s, want connection.origin_changed", said.stderr)
	}
	after := o.export("jellyfin", "items")
	if len(before) < 20 || len(after) != len(before) {
		t.Errorf("got %d items and then %d, want all of them still", len(before), len(after))
	}
	for key, e := range after {
		if e.Deleted {
			t.Errorf("item %s is deleted, want it as it was", key)
		}
	}
	said = o.says(0, "plugins", "inspect", "jellyfin")
	if !strings.Contains(string(said.stdout), "the address in your option base_url") {
		t.Errorf("inspect says %s, want where the connector gets its host from", said.stdout)
	}
}
