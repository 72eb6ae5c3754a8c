package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage"
)

// itemRefused is the gap of a message that its provider refuses with a status.
func itemRefused(key string, status int) string {
	return fmt.Sprintf("\ngap "+`{"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"%s","reason":"temporary_unavailable",`+
		`"retryable":true,"status":"pending","detail_locator":{},"last_error":{"class":"demo_http_%d","http_status":%d,"said":"Item %s is not yours."}}`, key, status, status, key)
}

// AC-10: an item that its provider refuses twice with 403, 404, 410 or 451 is gone: no run is served
// it. Any other status, or another one in between, leaves it to the runs that follow, and more than
// four refusals in a run that got nothing of the stream may be of the account.
func TestAnItemThatIsRefusedTwiceIsGone(t *testing.T) {
	t.Parallel()
	many := func(n, status int) string {
		var all strings.Builder
		for i := range n {
			all.WriteString(itemRefused(fmt.Sprintf("b%d", i), status))
		}
		return all.String()
	}
	before, also := message("kept"), message("new")
	for name, c := range map[string]struct {
		runs []string
		gone int
	}{
		"once":                      {[]string{before + itemRefused("b", 404)}, 0},
		"twice":                     {[]string{before + itemRefused("b", 404), itemRefused("b", 404)}, 1},
		"forbidden":                 {[]string{before + itemRefused("b", 403), itemRefused("b", 403)}, 1},
		"gone":                      {[]string{before + itemRefused("b", 410), itemRefused("b", 410)}, 1},
		"for legal reasons":         {[]string{before + itemRefused("b", 451), itemRefused("b", 451)}, 1},
		"forbidden, then gone":      {[]string{before + itemRefused("b", 403), itemRefused("b", 404)}, 1},
		"unwell":                    {[]string{before + itemRefused("b", 500), itemRefused("b", 500)}, 0},
		"unprocessable":             {[]string{before + itemRefused("b", 422), itemRefused("b", 422)}, 0},
		"unwell, then gone":         {[]string{before + itemRefused("b", 500), itemRefused("b", 404)}, 0},
		"gone, then unwell":         {[]string{before + itemRefused("b", 404), itemRefused("b", 500)}, 0},
		"unwell, then gone twice":   {[]string{before + itemRefused("b", 500), itemRefused("b", 404), itemRefused("b", 404)}, 1},
		"twice in one run":          {[]string{before + itemRefused("b", 404) + itemRefused("b", 404)}, 0},
		"refused, then fetched":     {[]string{before + itemRefused("b", 404), itemRefused("b", 404) + message("b")}, 0},
		"four and no record":        {[]string{before + many(4, 404), many(4, 404)}, 4},
		"five and no record":        {[]string{before + many(5, 404), many(5, 404)}, 0},
		"five and a record":         {[]string{before + many(5, 404), many(5, 404) + also}, 5},
		"an empty stream":           {[]string{many(1, 403), many(1, 403)}, 0},
		"an empty one and a record": {[]string{many(1, 403), many(1, 403) + also}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{})
			var res *Result
			for i, script := range c.runs {
				res = h.mustPlay(script[1:]+done(strings.Count(script, "\nemit ")), func(r *Request) { r.Force = i > 0 })
			}
			gone := 0
			for _, g := range h.messages() {
				if g.Status == storage.GapTerminal && g.Class == string(abi.ReasonGone) && !strings.Contains(string(g.LastError), "Item "+g.RecordKey) {
					t.Errorf("got last error %s of %s, want the provider's sentence", g.LastError, g.RecordKey)
				}
				if g.Status == storage.GapTerminal && g.Class == string(abi.ReasonGone) {
					gone++
				}
			}
			listed := 0
			for _, g := range res.Gaps {
				if g.Class == string(abi.ReasonGone) {
					listed++
				}
			}
			if gone != c.gone || listed != c.gone {
				t.Errorf("got %d gone and %d in the result, want %d", gone, listed, c.gone)
			}
			if c.gone > 0 {
				h.mustPlay("submit 4\nexpect \"detail_gaps\":[]" + done(0))
			}
		})
	}
}

func (h *host) messages() []storage.Gap {
	h.t.Helper()
	all, err := h.store.Gaps(h.t.Context(), "scripted", storage.GapQuery{})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

// AC-10: an item that is gone is asked for again by an owner who forces it, and by a list that names
// it. A good record of it ends that, before the cursor that covers the record; a refusal, or a run
// that did not come to it, leaves it gone, and no run asks for ever.
func TestAnItemThatIsGoneComesBack(t *testing.T) {
	t.Parallel()
	force := func(r *Request) { r.Force = true }
	plain := func(*Request) {}
	for name, c := range map[string]struct {
		script string
		change func(*Request)
		status string
	}{
		"nothing of it":             {"submit 4\nexpect \"detail_gaps\":[]" + done(0), plain, storage.GapTerminal},
		"forced and not asked for":  {"submit 4\nexpect record_key" + done(0), force, storage.GapTerminal},
		"forced and fetched":        {message("b")[1:] + done(1), force, storage.GapRecovered},
		"forced and refused":        {itemRefused("b", 403)[1:] + done(0), force, storage.GapTerminal},
		"forced and unwell":         {itemRefused("b", 500)[1:] + done(0), force, storage.GapPending},
		"listed and fetched":        {message("b")[1:] + done(1), plain, storage.GapRecovered},
		"listed and refused":        {itemRefused("b", 404)[1:] + done(0), plain, storage.GapTerminal},
		"listed and rejected":       {badMessage("b")[1:] + done(1), plain, storage.GapTerminal},
		"another one fetched":       {message("c")[1:] + done(1), plain, storage.GapTerminal},
		"a deleted one":             {"emit {\"type\":\"RECORD\",\"stream\":\"messages\",\"key\":\"b\",\"op\":\"delete\"}" + done(1), plain, storage.GapRecovered},
		"a part of it":              {message("b:1")[1:] + done(1), plain, storage.GapRecovered},
		"fetched before its cursor": {message("b")[1:] + slice("chats", `{"at":1}`) + "\nexit 3", plain, storage.GapRecovered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{})
			h.succeed(message("kept")[1:] + itemRefused("b", 404) + done(1))
			h.succeed(itemRefused("b", 404)[1:] + done(0))
			if g := h.messages()[0]; g.Status != storage.GapTerminal {
				t.Fatalf("got %s %s, want it gone", g.Status, g.Class)
			}
			if _, err := h.play(c.script, c.change); err != nil {
				t.Fatal(err)
			}
			if g := h.messages()[0]; g.Status != c.status {
				t.Errorf("got %s of class %q, want %s", g.Status, g.Class, c.status)
			}
		})
	}
}

// AC-10: an item that is gone holds no connection Degraded, no face promises it, and its stream says
// that something of it is not to be had.
func TestAnItemThatIsGoneHoldsNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.succeed(message("kept")[1:] + itemRefused("b", 404) + done(1))
	if v := h.verdict(); v.Pill.Tone != verdict.Amber || v.ForwardCode != "retry_gap" {
		t.Errorf("once: got %s %s, want amber and a run that fetches it", v.Pill.Tone, v.ForwardCode)
	}
	h.succeed(itemRefused("b", 404)[1:] + done(0))
	v := h.verdict()
	if v.Pill.Tone == verdict.Amber || v.Pill.Tone == verdict.Red || len(v.RequiredActions) > 0 {
		t.Errorf("twice: got %s, %q, %+v; want nothing asked for", v.Pill.Tone, v.ForwardStatement, v.RequiredActions)
	}
	said := false
	for _, s := range v.Streams {
		said = said || s.StreamID == "messages" && s.Code == "collected_but_gone"
	}
	if !said {
		t.Errorf("got streams %+v, want messages to say that items are gone", v.Streams)
	}
}
