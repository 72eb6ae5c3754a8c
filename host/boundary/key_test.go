package boundary

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestKeyText(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`"a"`: `a`, `"\u0061\n"`: "a\n", `"é😀"`: `é😀`, ` "a" `: `a`, `"a b"`: `a b`,
		`["a"]`: `["a"]`, `[ "a" , "b\u002f\"\\" ]`: `["a","b/\"\\"]`, `["\u0001\b\t"]`: `["\u0001\b\t"]`, `[""]`: `[""]`,
		`"[\"a\"]"`: `["a"]`,
	} {
		if got, err := KeyText(abi.Raw(raw)); err != nil || got != want {
			t.Errorf("KeyText(%s) = %q, %v, want %q", raw, got, err, want)
		}
	}
	for _, raw := range []string{
		``, `1`, `null`, `true`, `{}`, `""`, `[]`, `[1]`, `["a",["b"]]`, `"a`, `"a""b"`, `"a" "b"`, "\"\xff\"", "\"a\nb\"",
		`"\u0000"`, `"` + strings.Repeat("k", abi.MaxKeyBytes+1) + `"`,
	} {
		if got, err := KeyText(abi.Raw(raw)); codeOf(t, err) != abi.CodeKeyInvalid {
			t.Errorf("KeyText(%.40s) = %.40q, %v, want %v", raw, got, err, abi.CodeKeyInvalid)
		}
	}
}

// The canonical text is JSON of the same strings, and its own canonical text.
func FuzzKeyText(f *testing.F) {
	for _, s := range []string{`"a"`, `["a","b"]`, `[ "\u0061", "\ud83d\ude00", "\"" ]`, `"\\"`, `["\u001f"]`, `"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := KeyText(raw)
		if err != nil {
			return
		}
		var one string
		if json.Unmarshal(raw, &one) == nil {
			if got != one {
				t.Fatalf("KeyText(%q) = %q, want %q", raw, got, one)
			}
			return
		}
		var want, back []string
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatalf("KeyText(%q) = %q: %v, want no error", raw, got, err)
		}
		if err := json.Unmarshal([]byte(got), &back); err != nil || strings.Join(back, "\x00") != strings.Join(want, "\x00") {
			t.Fatalf(`KeyText(%q) = %q: %v, want no error && strings.Join(back, "\x00") == strings.Join(want, "\x00")`, raw, got, err)
		}
		if again, err := KeyText(abi.Raw(got)); err != nil || again != got {
			t.Fatalf("%q is not canonical: %q, %v, want no error && again == got", got, again, err)
		}
	})
}
