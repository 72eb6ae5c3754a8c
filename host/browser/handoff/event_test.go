package handoff

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A list has the events of an owner (BR-15, section 7.4). Everything else is refused, and the
// refusal quotes nothing of it.
func TestDecode(t *testing.T) {
	t.Parallel()
	for batch, want := range map[string]Event{
		`[{"do":"move","x":1.5,"y":0}]`:                        {Do: Move, X: 1.5},
		`[{"do":"down","x":1279,"y":719,"shift":true}]`:        {Do: Down, X: 1279, Y: 719, Shift: true},
		`[{"do":"wheel","x":1,"y":2,"dx":0,"dy":-120}]`:        {Do: Wheel, X: 1, Y: 2, DY: -120},
		`[{"do":"touch_end"}]`:                                 {Do: TouchEnd},
		`[{"do":"key_down","key":"Enter"}]`:                    {Do: KeyDown, Key: "Enter"},
		`[{"do":"key_down","key":"v","meta":true}]`:            {Do: KeyDown, Key: "v", Ctrl: true},
		`[{"do":"key_up","key":"a","ctrl":true,"meta":false}]`: {Do: KeyUp, Key: "a", Ctrl: true},
		`[{"do":"text","text":"pässword\n"}]`:                  {Do: Text, Text: "pässword\n"},
		`[{"do":"viewport","viewport":"390x844"}]`:             {Do: Viewport, Viewport: "390x844"},
		`[{"do":"choose","page":2}]`:                           {Do: Choose, Page: 2},
		`[{"do":"allow","host":"captcha.example"}]`:            {Do: Allow, Host: "captcha.example"},
		"\n[{\"do\" : \"done\"} ]":                             {Do: Done},
	} {
		if got, err := Decode([]byte(batch)); err != nil || !slices.Equal(got, []Event{want}) {
			t.Errorf("%s: got %+v, %v, want %+v", batch, got, err, want)
		}
	}
	for _, batch := range []string{
		``, `null`, `{}`, `[]`, `[null]`, `[{}]`, `[{"do":null}]`, `[{"do":"done"}]x`, `[{"do":"print"}]`, `[{"do":"navigate","url":"https://x"}]`,
		`[{"DO":"done"}]`, `[{"do":"done","x":1}]`, `[{"do":"move","x":1}]`, `[{"do":"move","X":1,"y":1}]`, `[{"do":"move","x":null,"y":1}]`,
		`[{"do":"move","x":-1,"y":1}]`, `[{"do":"move","x":1280,"y":1}]`, `[{"do":"move","x":1e999,"y":1}]`, `[{"do":"down","x":1,"y":1,"button":"right"}]`,
		`[{"do":"down","x":1,"y":1,"ctrl":true}]`, `[{"do":"wheel","x":1,"y":1,"dx":0,"dy":10001}]`, `[{"do":"key_down","key":"F12"}]`,
		`[{"do":"key_down","key":"a"}]`, `[{"do":"key_down","key":"p","ctrl":true}]`, `[{"do":"key_down","key":"Enter","ctrl":true}]`,
		`[{"do":"key_down","key":"c","ctrl":true,"shift":true}]`, `[{"do":"key_down","key":"Enter","alt":true}]`, `[{"do":"text","text":""}]`,
		`[{"do":"text","text":"\u001b"}]`, `[{"do":"text","text":"` + strings.Repeat("x", MostText+1) + `"}]`, `[{"do":"viewport","viewport":"4000x4000"}]`,
		`[{"do":"choose","page":0}]`, `[{"do":"choose","page":1.5}]`, `[{"do":"allow","host":""}]`, `[{"do":"allow","host":"` + strings.Repeat("x", 254) + `"}]`,
		`[{"do":"done"}` + strings.Repeat(`,{"do":"done"}`, MostEvents) + `]`, `[{"do":"text","text":"canary"}` + strings.Repeat(" ", MostBytes) + `]`,
		`[{"do":"canary"}]`, `[{"do":"text","text":"canary","canary":1}]`, `[{"do":"key_down","key":"canary"}]`,
	} {
		got, err := Decode([]byte(batch))
		if abi.CodeOf(err) != CodeInputInvalid || got != nil {
			t.Errorf("%.60s: got %+v, %v, want %s", batch, got, err, CodeInputInvalid)
		} else if strings.Contains(err.Error(), "canary") {
			t.Errorf("%.60s: got %v, want an error without what was typed", batch, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`[{"do":"move","x":1,"y":2},{"do":"text","text":"a"}]`))
	f.Add([]byte(`[{"do":"key_down","key":"v","meta":true},{"do":"allow","host":"a.example"}]`))
	f.Add([]byte(`[{"do":"viewport","viewport":"390x844"},{"do":"wheel","x":1,"y":1,"dx":1,"dy":-1}]`))
	f.Fuzz(func(t *testing.T, batch []byte) {
		events, err := Decode(batch)
		if err != nil {
			if abi.CodeOf(err) != CodeInputInvalid || events != nil {
				t.Errorf("got %+v, %v, want %s alone", events, err, CodeInputInvalid)
			}
			return
		}
		if len(events) == 0 || len(events) > MostEvents {
			t.Errorf("got %d events, want 1 to %d", len(events), MostEvents)
		}
		for _, e := range events {
			if _, known := members[e.Do]; !known || !(e.X >= 0 && e.X < mostSide && e.Y >= 0 && e.Y < mostSide) || len(e.Text) > MostText || len(e.Host) > mostHost ||
				e.Key != "" && !slices.Contains(Keys, e.Key) && !(e.Ctrl && slices.Contains(Shortcuts, e.Key)) {
				t.Errorf("got %+v, want an event of the list within its limits", e)
			}
		}
	})
}
