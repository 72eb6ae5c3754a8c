package run

import (
	"errors"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A run checks the options that its connection keeps, and those that it was given,
// against the installed module. It refuses an option that a new version has dropped.
func TestOptionsAreThoseOfTheModule(t *testing.T) {
	t.Parallel()
	m := manifestOf()
	m.Options = []abi.Option{{Name: "folder", Type: abi.OptionString}, {Name: "count", Type: abi.OptionInteger}}
	for name, c := range map[string]struct {
		kept, told map[string]string
		message    string // "": none
		hint       string
	}{
		"both":           {map[string]string{"folder": "a"}, map[string]string{"count": "2"}, "", ""},
		"a slip":         {nil, map[string]string{"cuont": "2"}, `has no option "cuont"`, "did you mean --set count=VALUE?"},
		"one that went":  {map[string]string{"depth": "2"}, nil, `has no option "depth", and the connection keeps one`, "pdpp-host connections set work --unset depth "},
		"another type":   {map[string]string{"count": "some"}, nil, "the option count has the wrong type, and the connection keeps one", "--unset count "},
		"set anew":       {map[string]string{"count": "some"}, map[string]string{"count": "2"}, "", ""},
		"left out":       {map[string]string{"count": "some"}, map[string]string{"count": ""}, "", ""},
		"forgotten slip": {map[string]string{"depth": "2"}, map[string]string{"depth": ""}, "", ""},
	} {
		err := checkOptions(m, "work", c.kept, c.told)
		var e *abi.Error
		if c.message == "" && err == nil {
			continue
		}
		if !errors.As(err, &e) || e.Code != abi.CodeUsage || c.message == "" || !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: got %+v, want %q with the hint %q", name, err, c.message, c.hint)
		}
	}
}
