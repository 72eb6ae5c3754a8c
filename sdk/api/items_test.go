package api_test

import (
	"reflect"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-04: the rows of a list add up: those of which a record is emitted, and those without a key.
func TestRowsAddUp(t *testing.T) {
	t.Parallel()
	s := &shelf{rows: append(noted("a", "b", "c"), `{"text":"no id"}`, `{"id":"d","text":7}`), total: -1}
	res := collect(t, s, nil, lists)
	if got, want := res.Items("notes"), (abi.StreamAccount{Stream: "notes", Met: 5, Emitted: 4, KeptBack: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// AC-04: the details of a list add up: those that are emitted, unchanged, and those that cannot
// be had.
func TestDetailsAddUp(t *testing.T) {
	t.Parallel()
	b := &book{at: map[string]string{"a": "1", "b": "1", "c": "1", "d": "1"}, broken: map[string]string{"b": "500", "c": "404"}}
	first := collect(t, b, nil, details)
	next := first.SecondRun(t, nil)
	for when, c := range map[string]struct {
		res  *sdktest.Result
		want abi.StreamAccount
	}{
		"first": {first, abi.StreamAccount{Stream: "notes", Met: 4, Emitted: 2, KeptBack: 2}},
		"next":  {next, abi.StreamAccount{Stream: "notes", Met: 4, Unchanged: 2, KeptBack: 2}},
	} {
		if got := c.res.Items("notes"); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", when, got, c.want)
		}
	}
}
