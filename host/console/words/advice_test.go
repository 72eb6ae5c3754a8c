package words_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/words"
)

// A hint of a page names no flag that its reader cannot set; a whole command stays.
func TestAdviceIsTrueOnAPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code       abi.Code
		hint, want string // "=": the hint
	}{
		{abi.CodeLimitTime, "raise --timeout, or collect fewer streams at a time", "run it again: it goes on from what it has collected"},
		{abi.CodeRootSecret, "name another folder; if the connector is to read these secrets: pdpp-host plugins accept CONNECTOR --allow folder=x", "="},
		{"connection.unheard", "name another one (--connection)", ""},
		{"connection.unheard", "--accept-root", ""},
		{"connection.unheard", "wait -- or not; -x a--b", "wait -- or not; -x a--b"},
		{abi.CodeInternal, "run `pdpp-host doctor --repair`", "run `pdpp-host doctor --repair`"},
		{abi.CodeInternal, "", ""},
	} {
		want := c.want
		if want == "=" {
			want = c.hint
		}
		if got := words.Advice(c.code, c.hint); got != want {
			t.Errorf("%s with the hint %q: got %q, want %q", c.code, c.hint, got, want)
		}
	}
}
