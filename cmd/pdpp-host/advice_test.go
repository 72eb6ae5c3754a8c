package main

import (
	"errors"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
)

func TestAdviceRepeatsThePlace(t *testing.T) {
	t.Parallel()
	commands := []string{"run", "runs", "status"}
	for text, want := range map[string]string{
		"pdpp-host run x":                          "pdpp-host --data-dir d run x",
		"see `pdpp-host runs`, or pdpp-host run y": "see `pdpp-host --data-dir d runs`, or pdpp-host --data-dir d run y",
		"pdpp-host status":                         "pdpp-host --data-dir d status",
		"another pdpp-host serves this":            "another pdpp-host serves this",
		"another pdpp-host runner":                 "another pdpp-host runner",
		"use the pdpp-host build":                  "use the pdpp-host build",
		"pdpp-host ":                               "pdpp-host ",
		"":                                         "",
	} {
		if got := withFlags(text, " --data-dir d", commands); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := withFlags(text, "", commands); got != text {
			t.Errorf("without flags %q becomes %q", text, got)
		}
	}
	f := globalFlags{config: "a.yaml", dataDir: "my data", plugins: "it's"}
	if got := f.place(); got != ` --config a.yaml --data-dir 'my data' --plugins 'it'\''s'` {
		t.Error(got)
	}
	if got := (&globalFlags{quiet: true, json: true, logLevel: "debug"}).place(); got != "" {
		t.Error(got)
	}
}

// Advice changes an error's hint and nothing else: its exit status is the same.
func TestAdvisedErrors(t *testing.T) {
	t.Parallel()
	a := &app{commands: []string{"doctor"}}
	a.flags.dataDir = "d"
	err := a.advised(&exitcode.Ended{Err: abi.NewError("x.y", "no pdpp-host doctor", "see pdpp-host doctor").WithDetail("where"), OwnerNeeded: true})
	var e *abi.Error
	if !errors.As(err, &e) || e.Hint != "see pdpp-host --data-dir d doctor" || e.Message != "no pdpp-host doctor" || e.Detail != "where" {
		t.Errorf("%+v", e)
	}
	if exitcode.Of(err) != exitcode.OwnerNeeded {
		t.Error(exitcode.Of(err))
	}
	if plain := errors.New("plain"); !errors.Is(a.advised(plain), plain) {
		t.Error("an error of another kind is lost")
	}
	if a.advised(nil) != nil {
		t.Error("no error becomes one")
	}
}
