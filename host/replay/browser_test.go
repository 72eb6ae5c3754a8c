package replay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// Of what a guest types a recording has that it did, and of a page that the owner took over how
// that ended and how long it took; a replay and an update compare and keep both.
func TestBrowser(t *testing.T) {
	t.Parallel()
	lines := []string{
		fmt.Sprintf(`submit %d {"do":"fill","selector":"#q","value":"one"}`, abi.OpBrowser),
		fmt.Sprintf(`submit %d {"do":"fill","selector":"#q","Value":"two"}`, abi.OpBrowser),
		fmt.Sprintf(`submit %d {"do":"fill","selector":"#p","credential":"password"}`, abi.OpBrowser),
		fmt.Sprintf(`submit %d {"type":"INTERACTION","request_id":"q1","kind":"manual_action","message":"m","browser":{"page":1}}`, abi.OpInteract),
		fmt.Sprintf(`submit %d {"type":"INTERACTION","request_id":"q1","kind":"manual_action","message":"m"}`, abi.OpInteract),
		"finish",
	}
	script := `"script":"` + strings.ReplaceAll(strings.Join(lines, `\n`), `"`, `\"`) + `"`
	o := options()
	now := start
	o.Now = func() time.Time { now = now.Add(2500 * time.Millisecond); return now }
	for _, isolation := range rig.Modes {
		r, path := newRecorderAt(t, o)
		grant := granted()
		grant.Bindings[abi.BindingBrowser] = true
		exit := r.Collect(t.Context(), load(t, isolation, scripted), grant, &host{options: script, code: "owners-word"})
		if err := r.Close(); err != nil || exit.Err != nil {
			t.Fatalf("got %v; %+v, want no error", err, exit)
		}
		text := read(t, path)
		for part, want := range map[string]int{
			`"op":"browser","text":"{\"do\":\"fill\",\"selector\":\"#q\",\"value\":\"[typed]\"}"`: 1,
			`\"Value\":\"[typed]\"`:         1,
			`\"credential\":\"password\"}"`: 1,
			`"seconds":3`:                   1,
			"owners-word":                   0,
		} {
			if got := strings.Count(text, part); got != want {
				t.Errorf("got %d times %s in\n%s\nwant %d", got, part, text, want)
			}
		}
		plays(t, isolation, scripted, path)
		update(t, isolation, scripted, path)
		if now := read(t, path); now != text {
			t.Errorf("got after an update\n%s\nwant\n%s", now, text)
		}
		edit(t, path, `#p`, `#x`) // in the script
		report, err := play(t, isolation, scripted, path)
		if err != nil || report.Difference == nil || report.Difference.What != "request 4 (browser) differs at byte 26" {
			t.Fatalf("got %+v, %v, want request 4 to differ at the selector", report, err)
		}
	}
}

// Seconds belong to an answer alone.
func TestSecondsElsewhere(t *testing.T) {
	t.Parallel()
	for _, e := range []event{carrying(event{Kind: kindEmit, Seconds: 1}, []byte("x")), carrying(event{Kind: kindAnswer, Request: 1, Seconds: -1}, nil)} {
		if e.wellFormed() {
			t.Errorf("got %+v taken for an event, want it refused", e)
		}
	}
}
