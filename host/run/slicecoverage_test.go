package run

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// closes emits the STATE of a slice of chats that accounts for messages: it calls some
// hydrated and others gaps.
func closes(at, hydrated, gaps string) string {
	list := func(keys string) string {
		if keys == "" {
			return "[]"
		}
		return `["` + strings.ReplaceAll(keys, " ", `","`) + `"]`
	}
	account := `,"coverage":[{"stream":"messages","required_keys":` + list(strings.TrimSpace(hydrated+" "+gaps)) +
		`,"hydrated_keys":` + list(hydrated) + `,"gap_keys":` + list(gaps) + `}]}`
	return strings.TrimSuffix(slice("chats", `{"at":"`+at+`"}`), "}") + account
}

// PB-D8, RT-12.1: a slice in the middle of a lane moves the parent's cursor once every
// detail that the slices so far cover is accounted for, and never before. At its end
// the lane still has to send its DETAIL_COVERAGE.
func TestSlicesOfALane(t *testing.T) {
	t.Parallel()
	bare := slice("chats", `{"at":"bare"}`)
	for name, c := range map[string]struct{ script, want string }{
		"whole":                       {message("a") + closes("1", "a", "") + "\ntrap", "1"},
		"two, the second in flight":   {message("a") + closes("1", "a", "") + message("b") + "\ntrap", "1"},
		"two":                         {message("a") + closes("1", "a", "") + message("b") + closes("2", "b", "") + "\ntrap", "2"},
		"a stored gap":                {leavesGap("a", ofChats) + closes("1", "", "a") + "\ntrap", "1"},
		"no account":                  {message("a") + bare + "\ntrap", ""},
		"a gap that is not stored":    {closes("1", "", "a") + "\ntrap", ""},
		"a record that did not come":  {closes("1", "a", "") + "\ntrap", ""},
		"a rejected record":           {badMessage("a") + closes("1", "a", "") + "\ntrap", ""},
		"whole behind one that owes":  {closes("1", "a", "") + message("b") + closes("2", "b", "") + "\ntrap", ""},
		"whole behind a silent one":   {message("a") + bare + message("b") + closes("2", "b", "") + "\ntrap", ""},
		"a rejected record that came": {badMessage("a") + closes("1", "a", "") + message("a") + closes("2", "", "") + "\ntrap", "2"},
		"one rejected of several":     {badMessage("a:1") + message("a:2") + closes("1", "a", "") + "\ntrap", ""},
		"several, one came later":     {badMessage("a:1") + message("a:2") + closes("1", "a", "") + message("a:1") + closes("2", "", "") + "\ntrap", "2"},
		"the end, one rejected":       {badMessage("a:1") + message("a:2") + covers("a") + state("chats", `{"at":"2"}`) + done(2), ""},
		"the end owes its account":    {message("a") + closes("1", "a", "") + state("chats", `{"at":"2"}`) + done(1), "1"},
		"the end":                     {message("a") + closes("1", "a", "") + message("b") + covers("a", "b") + state("chats", `{"at":"2"}`) + done(2), "2"},
		"a silent one and the end":    {message("a") + bare + covers("a") + done(1), "bare"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{})
			h.mustPlay(c.script)
			got := strings.TrimSuffix(strings.TrimPrefix(h.cursor("chats"), `{"at":"`), `"}`)
			if got != c.want {
				t.Errorf("the cursor is %q, want %q", got, c.want)
			}
		})
	}
}

// A slice that accounts for a closed lane, or for a lane of another stream, is a
// violation.
func TestSlicesOfNoLane(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"closed":      message("a") + covers("a") + closes("1", "a", ""),
		"not a child": strings.Replace(closes("1", "a", ""), `"chats"`, `"notes"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, err := newHost(t, setup{}).play(script + done(1))
			expectFailure(t, res, err, abi.ReasonProtocolViolation, abi.CodeCoverageInvalid)
		})
	}
}
