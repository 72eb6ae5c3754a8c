package session

import (
	"errors"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/cmd/internal/invocation"
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
		if got := asTyped(text, program, " --data-dir d", commands); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := asTyped(text, program, "", commands); got != text {
			t.Errorf("without flags %q becomes %q", text, got)
		}
	}
	f := invocation.Flags{Config: "a.yaml", DataDir: "my data", Plugins: "it's"}
	if got := place(&f); got != ` --config a.yaml --data-dir 'my data' --plugins 'it'\''s'` {
		t.Error(got)
	}
	if got := place(&invocation.Flags{Quiet: true, JSON: true, LogLevel: "debug"}); got != "" {
		t.Error(got)
	}
}

// A binary that its name does not find is named by its path, once.
func TestAdviceNamesTheBinary(t *testing.T) {
	t.Parallel()
	a := &Session{Commands: []string{"run"}, Invoked: "bin/pdpp-host"}
	for text, want := range map[string]string{
		"pdpp-host run x":               "bin/pdpp-host run x",
		"bin/pdpp-host run x":           "bin/pdpp-host run x",
		"another pdpp-host serves this": "another pdpp-host serves this",
	} {
		if got := a.Advice(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	a.Flags.DataDir = "d"
	if got := a.Advice(a.Advice("next: pdpp-host run x")); got != "next: bin/pdpp-host --data-dir d run x" {
		t.Error(got)
	}
	if got := invokedAs("pdpp-host"); got != "pdpp-host" {
		t.Error(got)
	}
}

// The home folder is ~ where a shell makes it that again.
func TestHomely(t *testing.T) {
	t.Parallel()
	a := &Session{}
	a.Home = "/home/ana"
	for text, want := range map[string]string{
		"/home/ana/x":                      "~/x",
		"in /home/ana/x and (/home/ana/y)": "in ~/x and (~/y)",
		"a\n/home/ana/x":                   "a\n~/x",
		"--root codex=/home/ana/x":         "--root codex=/home/ana/x",
		"'/home/ana/my data'":              "'/home/ana/my data'",
		"/mnt/home/ana/x":                  "/mnt/home/ana/x",
		"/home/anabel/x":                   "/home/anabel/x",
		"":                                 "",
	} {
		if got := a.Homely(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	a.Home = "/"
	if got := a.Homely("/etc/x"); got != "/etc/x" {
		t.Error(got)
	}
}

// Advice changes an error's hint and nothing else: its exit status is the same.
func TestAdvisedErrors(t *testing.T) {
	t.Parallel()
	a := &Session{Commands: []string{"doctor"}}
	a.Flags.DataDir = "d"
	err := a.Advised(&exitcode.Ended{Err: abi.NewError("x.y", "no pdpp-host doctor", "see pdpp-host doctor").WithDetail("where"), OwnerNeeded: true})
	var e *abi.Error
	if !errors.As(err, &e) || e.Hint != "see pdpp-host --data-dir d doctor" || e.Message != "no pdpp-host doctor" || e.Detail != "where" {
		t.Errorf("%+v", e)
	}
	if exitcode.Of(err) != exitcode.OwnerNeeded {
		t.Error(exitcode.Of(err))
	}
	if plain := errors.New("plain"); !errors.Is(a.Advised(plain), plain) {
		t.Error("an error of another kind is lost")
	}
	if a.Advised(nil) != nil {
		t.Error("no error becomes one")
	}
}
