package abi_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestCodesAreUniqueDottedAndLowerCase(t *testing.T) {
	t.Parallel()
	codes := sortedValues(constants(t, "Code"))
	if len(slices.Compact(slices.Clone(codes))) != len(codes) {
		t.Errorf("a code is declared twice: %q, want %v", codes, len(codes))
	}
	shape := regexp.MustCompile(`^[a-z]+\.[a-z]+(_[a-z0-9]+)*$`)
	for _, c := range codes {
		if !shape.MatchString(c) {
			t.Errorf("%q is not area.what_is_wrong, want shape.MatchString(c)", c)
		}
	}
}

func TestErrorTellsMessageDetailAndCode(t *testing.T) {
	t.Parallel()
	e := abi.NewError(abi.CodeRootMissing, "the folder is missing", "name another")
	if got := e.Error(); got != "the folder is missing [files.root_missing]" {
		t.Errorf(`Error() = %q, want "the folder is missing [files.root_missing]"`, got)
	}
	d := e.WithDetail("/x, from --root")
	if got := d.Error(); got != "the folder is missing: /x, from --root [files.root_missing]" {
		t.Errorf(`Error() = %q, want "the folder is missing: /x, from --root [files.root_missing]"`, got)
	}
	if e.Detail != "" || d.Hint != e.Hint {
		t.Errorf(`WithDetail changed its receiver or lost the hint: %+v, %+v, want e.Detail == "" && d.Hint == e.Hint`, e, d)
	}
}

func TestErrorWrapsAndIsFoundByCode(t *testing.T) {
	t.Parallel()
	cause := errors.New("no such file")
	e := abi.NewError(abi.CodeRootMissing, "m", "h").Wrap(cause)
	wrapped := fmt.Errorf("resolve: %w", e)
	if !errors.Is(wrapped, cause) || !errors.Is(wrapped, &abi.Error{Code: abi.CodeRootMissing}) {
		t.Error("the chain is broken")
	}
	if errors.Is(wrapped, &abi.Error{Code: abi.CodeRootInvalid}) {
		t.Error("another code matches")
	}
	for name, c := range map[string]struct {
		err  error
		want abi.Code
	}{
		"nil":           {nil, abi.CodeInternal},
		"foreign":       {cause, abi.CodeInternal},
		"itself":        {e, abi.CodeRootMissing},
		"wrapped":       {wrapped, abi.CodeRootMissing},
		"joined":        {errors.Join(cause, wrapped), abi.CodeRootMissing},
		"joined twice":  {fmt.Errorf("%w", errors.Join(errors.Join(cause), e)), abi.CodeRootMissing},
		"joined, none":  {errors.Join(cause, cause), abi.CodeInternal},
		"outermost one": {abi.NewError(abi.CodeStoreFull, "m", "h").Wrap(e), abi.CodeStoreFull},
	} {
		if got := abi.CodeOf(c.err); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
