package traffic

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/send"
)

// OC-11: each step counts once, where it belongs.
func TestSteps(t *testing.T) {
	t.Parallel()
	counted := New()
	step := counted.Of("github")
	for _, e := range []send.Event{
		{Kind: send.EventHold, Duration: time.Hour}, {Kind: send.EventWait, Duration: 2 * time.Second}, {Kind: send.EventWait, Duration: 3 * time.Second, Told: true},
		{Kind: send.EventBackoff, Duration: 4 * time.Second}, {Kind: send.EventBackoff, Duration: 5 * time.Second, Told: true}, {Kind: send.EventSend},
		{Kind: send.EventAnswer, Status: http.StatusOK}, {Kind: send.EventAnswer, Status: http.StatusNotFound}, {Kind: send.EventAnswer, Status: http.StatusTooManyRequests, Refused: true},
		{Kind: send.EventAnswer}, {Kind: send.EventAnswer, Status: http.StatusBadGateway}, {Kind: send.EventCircuit},
	} {
		step(e)
	}
	want := Counts{Provider: "github", Answered: 2, Refused: 1, Failed: 2, Paced: 2 * time.Second, Asked: 8 * time.Second, BackedOff: 4 * time.Second}
	if got := counted.Counts(); len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// OC-11: manifests bring no more than Most names, and none that is more than a name.
func TestHostileNamesAreBounded(t *testing.T) {
	t.Parallel()
	counted := New()
	for i := range 1000 {
		counted.Of(fmt.Sprintf("made_up_%d", i))(send.Event{Kind: send.EventAnswer})
	}
	for _, name := range []string{"", "jane@example.org", "/home/jane", "https://example.org", "a\"b", strings.Repeat("a", 65), "Über"} {
		counted.Of(name)(send.Event{Kind: send.EventAnswer})
	}
	all := counted.Counts()
	if len(all) != Most+1 {
		t.Errorf("got %d names, want %d", len(all), Most+1)
	}
	for _, c := range all {
		if c.Provider != Other && !strings.HasPrefix(c.Provider, "made_up_") {
			t.Errorf("got the name %q, want it to count as %s", c.Provider, Other)
		}
		if c.Provider == Other && c.Failed != 1000-Most+7 {
			t.Errorf("got %d of %s, want %d", c.Failed, Other, 1000-Most+7)
		}
	}
	var nobody *Traffic
	if nobody.Of("x") != nil || nobody.Counts() != nil {
		t.Error("nil: got counts, want none")
	}
}
