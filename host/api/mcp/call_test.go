package mcp

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// RD-58: a whole number is taken as models write it, and nothing else is.
func TestWholeNumbers(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]int64{
		`5`: 5, `"5"`: 5, `" 5 "`: 5, `5.0`: 5, `"5.00"`: 5, `-1`: -1, `"0"`: 0,
		`"five"`: -99, `""`: -99, `5.5`: -99, `"5.5"`: -99, `"5."`: -99, `true`: -99, `[5]`: -99, `"0x5"`: -99, `"99999999999999999999"`: -99, `"5 6"`: -99,
	} {
		got, ok := whole(jsontext.Value(sent))
		if ok != (want != -99) || ok && got != want {
			t.Errorf("%s: got %d, %v, want %d", sent, got, ok, want)
		}
	}
	for i := range tools {
		for _, one := range tools[i].args {
			if one.kind != number {
				continue
			}
			a := &arguments{texts: map[string]string{}, values: map[string][]string{}}
			if err := a.add(&one, jsontext.Value(`"7"`)); err != nil || a.values.Get(one.name) != "7" {
				t.Errorf("%s of %s: got %q, %v, want 7", one.name, tools[i].name, a.values.Get(one.name), err)
			}
		}
	}
}
