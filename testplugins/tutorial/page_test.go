package tutorial

import (
	"reflect"
	"testing"
)

func TestRead(t *testing.T) {
	t.Parallel()
	got, err := Read("Some `word`.\n\n`a/b.go` is first.\n\n```go file\nx\n\ny\n```\n\n```sh\nshown\n```\n\n```sh run\nmake it\n```\n\n```text\none …\ntwo\n```\n")
	want := []Step{{File: "a/b.go", Text: "x\n\ny\n", Line: 5}, {Text: "make it\n", Says: []string{"one …", "two"}, Line: 15}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	for _, page := range []string{"```go file\nx\n```\n", "A `name`.\n\n```go file\nx\n```\n", "```text\nx\n```\n"} {
		if got, err := Read(page); err == nil {
			t.Errorf("%q: got %+v, want an error", page, got)
		}
	}
}

func TestShows(t *testing.T) {
	t.Parallel()
	const output = "built 3 MB in 2s\n  + 1\n  + 2\n"
	for _, c := range []struct {
		lines   []string
		missing string
	}{
		{[]string{"built …", "  + 1", "  + 2"}, ""}, {[]string{"  + 2", "  + 1"}, "  + 1"}, {[]string{"built"}, "built"}, {[]string{"  + .…"}, "  + .…"}, {nil, ""},
	} {
		if missing, ok := Shows(output, c.lines); missing != c.missing || ok != (c.missing == "") {
			t.Errorf("%q: got %q, %v, want %q", c.lines, missing, ok, c.missing)
		}
	}
}
