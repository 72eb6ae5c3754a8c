package call

import (
	"slices"
	"testing"
)

// FuzzWithQuery holds that a query has its other parameters as they were written, and
// that of the host's there is one, in whatever way a service reads the query.
func FuzzWithQuery(f *testing.F) {
	for _, raw := range []string{"", "a=1&b=2", "a=1;api_key=x", "&&;", "api%5Fkey=x;API-KEY=y&", "%zz=1&api_key%zz", "a=;=&=api_key", "api_key[]=1"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		const key = "api_key"
		var others []string
		whole := ""
		for p := range parametersOf(raw) {
			whole += p.before + p.raw
			if !sameName(p.name, key) {
				others = append(others, p.raw)
			}
		}
		if whole != raw {
			t.Errorf("the parts of %q make %q", raw, whole)
		}
		placed := withQuery(raw, key, "secret")
		var kept, ours []string
		for p := range parametersOf(placed) {
			if sameName(p.name, key) {
				ours = append(ours, p.value)
			} else {
				kept = append(kept, p.raw)
			}
		}
		if !slices.Equal(ours, []string{"secret"}) {
			t.Errorf("%q became %q: the key has %q, want the secret alone", raw, placed, ours)
		}
		if !slices.Equal(kept, others) && len(slices.DeleteFunc(others, func(p string) bool { return p == "" })) > 0 {
			t.Errorf("%q became %q: kept %q, want %q", raw, placed, kept, others)
		}
	})
}
