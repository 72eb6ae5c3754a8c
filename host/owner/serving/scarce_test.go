package serving

import (
	"os"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// two is a machine that has room for two browsers.
type two struct{ owner.Browser }

func (two) Slots() int { return 2 }

// browser.max: a run of a connector with a browser needs one of so many, any other none.
func TestScarce(t *testing.T) {
	t.Parallel()
	s := &Server{Owner: owner.New(owner.Deps{Browser: two{}})}
	for file, want := range map[string]int{"plugins/example_shop/manifest.json": 2, "testplugins/guests/credentialed/manifest.json": 0} {
		raw, err := os.ReadFile("../../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		c := storage.Connection{PinnedSHA256: "abc", PinnedManifest: raw}
		if what, most := s.scarce(c); most != want || (what == "browser") != (want > 0) {
			t.Errorf("%s: got %q, %d, want %d", file, what, most, want)
		}
	}
	if what, _ := s.scarce(storage.Connection{}); what != "" {
		t.Errorf("nothing accepted: got %q, want nothing that is scarce", what)
	}
	s.Browser = nil
	if what, _ := s.scarce(storage.Connection{}); what != "" {
		t.Errorf("no browsers: got %q, want nothing that is scarce", what)
	}
}
