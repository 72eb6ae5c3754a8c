package books

import (
	"os"
	"reflect"
	"strconv"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-01: of the files that a guest says it has read the books know how much was.
func TestSaid(t *testing.T) {
	t.Parallel()
	b := New(Rule{}, later())
	p := b.Root("r")
	*p.Opened("whole", nil) += 3
	*p.Opened("whole", nil) += 2
	*p.Opened("other", nil) += 9
	p.Opened("taken back", nil)
	for _, path := range []string{"whole", "./never", "taken back", "zip"} {
		claim(b, path, abi.FileRead)
	}
	claim(b, "taken back", abi.FileKnown)
	claim(b, "other", abi.FileDamaged)
	b.Claim([]byte(`{"files":[{"root":"r","path":"zip","as":"read","entries":{"count":2,"read":2}}]}`))
	*p.Opened("partly", nil) += 4
	claim(b, "partly", abi.FileBeginning)
	claim(b, "ruled", abi.FileRule)
	want := []Said{
		{File: File{"r", "never"}}, {File: File{"r", "partly"}, Bytes: 4, Partly: true}, {File: File{"r", "whole"}, Bytes: 5},
		{File: File{"r", "zip"}, Entries: &abi.EntryAccount{Count: 2, Read: 2}},
	}
	if got := b.Close(map[string]*os.Root{}, later).Said; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Beyond the bound nothing is known, and nothing is claimed to be.
func TestSaidIsBounded(t *testing.T) {
	t.Parallel()
	b := New(Rule{}, later())
	p := b.Root("r")
	for i := range 2 * MaxSaid {
		path := strconv.Itoa(i)
		if n := p.Opened(path, nil); n != nil {
			*n++
		}
		claim(b, path, abi.FileRead)
	}
	claim(b, "never", abi.FileRead)
	got := b.Close(map[string]*os.Root{}, later).Said
	if len(got) != MaxSaid {
		t.Errorf("%d files are told, want %d", len(got), MaxSaid)
	}
	for _, s := range got {
		if s.Bytes != 1 {
			t.Errorf("%s: got %d bytes, want 1", s.Path, s.Bytes)
		}
	}
}
