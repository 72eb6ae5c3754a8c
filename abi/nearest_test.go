package abi_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"run", "runs", "records", "plugins"}
	for in, want := range map[string]string{"rnu": "run", "recrods": "records", "plugin": "plugins", "zzzz": "", "": ""} {
		if got := abi.Nearest(in, known); got != want {
			t.Errorf("%q -> %q, want %q", in, got, want)
		}
	}
	if abi.Distance("abc", "acb") != 1 || abi.Distance("", "abc") != 3 || abi.Distance("kitten", "sitting") != 3 {
		t.Error("distance")
	}
}
