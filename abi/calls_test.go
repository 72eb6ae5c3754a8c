package abi_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestCallTable(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	seen := make(map[string]bool)
	for _, c := range abi.Calls {
		if !word.MatchString(c.Name) || seen[c.Name] {
			t.Errorf("%q is no word, or is there twice, want word.MatchString(c.Name) && !seen[c.Name]", c.Name)
		}
		seen[c.Name] = true
		if got, ok := abi.LookupCall(c.Name); !ok || got.Name != c.Name {
			t.Errorf("LookupCall(%q) = %v, %v, want ok && got.Name == c.Name", c.Name, got, ok)
		}
		if c.Phase == 0 || c.Phase&^abi.PhaseAny != 0 {
			t.Errorf("%s: phase %b, want c.Phase != 0 && c.Phase &^ abi.PhaseAny == 0", c.Name, c.Phase)
		}
		if c.Doc == "" {
			t.Errorf(`%s says nothing of itself, want c.Doc != ""`, c.Name)
		}
		if c.Binding != "" && !slices.Contains(bindings, c.Binding) {
			t.Errorf(`%s: unknown binding %q, want c.Binding == "" || slices.Contains(bindings, c.Binding)`, c.Name, c.Binding)
		}
		// Scalars only: what TinyGo and every other guest language can import.
		for _, v := range append(slices.Clone(c.Params), c.Results...) {
			if v != abi.I32 && v != abi.I64 {
				t.Errorf("%s: got %s, want v == abi.I32 || v == abi.I64", c.Name, v)
			}
		}
		if len(c.Results) > 1 || len(c.Params) > 3 {
			t.Errorf("%s: shape %v -> %v, want len(c.Results) <= 1 && len(c.Params) <= 3", c.Name, c.Params, c.Results)
		}
		// A payload is a pointer and a length, the last two parameters.
		if c.MaxBytes > 0 && len(c.Params) < 2 {
			t.Errorf("%s: %d bytes without a pointer, want c.MaxBytes <= 0 || len(c.Params) >= 2", c.Name, c.MaxBytes)
		}
	}
	if _, ok := abi.LookupCall("open_socket"); ok {
		t.Error("a call that is not in the table was found")
	}
}

var bindings = []string{
	abi.BindingNetwork, abi.BindingFilesystem, abi.BindingInteractive, abi.BindingBrowser,
	abi.BindingBrowserLegacy, abi.BindingLocalDevice,
}

func TestOperationTable(t *testing.T) {
	t.Parallel()
	names := make(map[string]bool)
	for i, o := range abi.Operations {
		if int(o.Op) != i+1 {
			t.Errorf("operation %d stands at %d: they are numbered from 1, in order, want %v", o.Op, i, i+1)
		}
		if o.Name == "" || names[o.Name] {
			t.Errorf(`operation %d has no name of its own, want o.Name != "" && !names[o.Name]`, o.Op)
		}
		names[o.Name] = true
		if o.Binding != "" && !slices.Contains(bindings, o.Binding) {
			t.Errorf(`%s: unknown binding %q, want o.Binding == "" || slices.Contains(bindings, o.Binding)`, o.Name, o.Binding)
		}
	}
}

// Invariant 6: no list that a guest may import from holds a way to a socket,
// and what reads files is apart from what every guest gets.
func TestWASILists(t *testing.T) {
	t.Parallel()
	all := slices.Concat(abi.WASI, abi.WASIFilesystem)
	seen := make(map[string]bool)
	for _, name := range all {
		if seen[name] {
			t.Errorf("%s twice, want !seen[name]", name)
		}
		seen[name] = true
		if regexp.MustCompile(`^sock_|write$|create|unlink|rename|remove|symlink|_set_size|_set_times|allocate`).MatchString(name) && name != "fd_write" {
			t.Errorf("%s writes or opens a socket, want !regexp.MustCompile(`^sock_|write$|create|unlink|rename|remove|symlink|_set_size|_set_times|allocate`).MatchString(name) || name == \"fd_write\"", name)
		}
	}
	for _, name := range abi.WASI {
		if regexp.MustCompile(`^path_|^fd_(read|seek|readdir|filestat)`).MatchString(name) {
			t.Errorf("%s reads files, and every guest gets it, want !regexp.MustCompile(`^path_|^fd_(read|seek|readdir|filestat)`).MatchString(name)", name)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	if abi.EmitFlushBytes+abi.MaxRecordBytes > abi.MaxEmitBytes {
		t.Error("a batch about to be flushed and the largest record do not fit one emit")
	}
	for name, ok := range map[string]bool{
		"a record fits an emit":           abi.MaxRecordBytes <= abi.MaxEmitBytes,
		"an error fits the guest's stack": abi.MaxErrorBytes <= 64<<10,
		"several requests in flight":      abi.MaxInFlight > 1,
		"lengths fit wait's low half":     abi.MaxCoverageBytes < 1<<31,
	} {
		if !ok {
			t.Errorf("not so: %s, want ok", name)
		}
	}
}
