package syntax

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPairs(t *testing.T) {
	t.Parallel()
	got, err := Pairs("--root", "NAME=PATH", []string{"a=/x=y", "b="})
	if err != nil || got["a"] != "/x=y" || got["b"] != "" || len(got) != 2 {
		t.Errorf("%v %v", got, err)
	}
	for _, bad := range [][]string{{"hunter2"}, {"=hunter2"}, {"a=hunter2", "a=hunter2"}} {
		_, err := Pairs("--set", "KEY=VALUE", bad)
		if abi.CodeOf(err) != abi.CodeUsage || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func FuzzPairs(f *testing.F) {
	f.Add("a=b", "c=d")
	f.Add("=", "a")
	f.Fuzz(func(t *testing.T, one, other string) {
		got, err := Pairs("--set", "KEY=VALUE", []string{one, other})
		if (err == nil) != (len(got) == 2) {
			t.Fatalf("%d of 2 are left, %v", len(got), err)
		}
		for name, value := range got {
			if name == "" || name+"="+value != one && name+"="+value != other {
				t.Fatalf("%q=%q was never given", name, value)
			}
		}
	})
}

func TestAsksForJSON(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"run --json": true, "run --json=true x": true, "run -- --json": false, "run --json=false": false, "": false,
	} {
		if AsksForJSON(strings.Fields(line)) != want {
			t.Error(line)
		}
	}
}

// program is a small program with one group and one command.
func program(t *testing.T, args ...string) error {
	t.Helper()
	root := Group("tool", "A tool", func() {}, nil)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(FlagError)
	things := Group("things", "Things", func() {}, nil)
	show := &cobra.Command{Use: "show NAME", Args: Takes("NAME", "[PART]"), RunE: func(*cobra.Command, []string) error { return nil }}
	show.Flags().Bool("detail", false, "")
	show.Flags().Int("count", 0, "")
	things.AddCommand(show)
	root.AddCommand(things)
	root.SetOut(io.Discard)
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	if cmd != show && slices.Contains(args, "show") {
		t.Errorf("%v ran %s", args, cmd.Name())
	}
	if err != nil {
		err = AsUsage(root.Name(), err)
	}
	return err
}

func TestSlips(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][2]string{
		"":                            {"", ""},
		"things show a":               {"", ""},
		"things show a b":             {"", ""},
		"thinsg":                      {`unknown command "thinsg"`, "did you mean: tool things"},
		"things":                      {"tool things needs a command", "one of: show"},
		"things list":                 {`unknown command "list"`, "one of: show"},
		"things show":                 {"tool things show needs NAME", "write: tool things show NAME [PART]"},
		"things show a b c":           {`tool things show does not take "c"`, "write: tool things show NAME [PART]"},
		"things show a --detial":      {"unknown flag --detial", "did you mean --detail? see: tool things show --help"},
		"things show a --count":       {"--count needs a value", "see: tool things show --help"},
		"things show a --count=three": {"the value of --count cannot be read", "see: tool things show --help"},
	} {
		err := program(t, strings.Fields(line)...)
		var e *abi.Error
		if want[0] == "" {
			if err != nil {
				t.Errorf("%q: %v", line, err)
			}
			continue
		}
		if !errors.As(err, &e) || e.Code != abi.CodeUsage || e.Message != want[0] || e.Hint != want[1] {
			t.Errorf("%q: %#v", line, err)
		}
	}
}
