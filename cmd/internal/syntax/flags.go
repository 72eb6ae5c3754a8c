package syntax

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdpp-host/pdpp-host/abi"
)

// FlagError names the nearest flag for one that does not exist.
func FlagError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return unknownCommand(cmd, cmd.Flags().Arg(0))
	}
	see := "see: " + cmd.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	var without *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown, see)
	case errors.As(err, &without):
		return Usage("--"+without.GetSpecifiedName()+" needs a value", see)
	case errors.As(err, &invalid):
		return Usage("the value of --"+invalid.GetFlag().Name+" cannot be read", see).WithDetail("it must be a " + invalid.GetFlag().Value.Type())
	default:
		return Usage(err.Error(), see).Wrap(err)
	}
}

func unknownFlag(cmd *cobra.Command, e *pflag.NotExistError, see string) error {
	name := e.GetSpecifiedName()
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	hint := see
	if n := abi.Nearest(name, known); n != "" {
		hint = "did you mean --" + n + "? " + see
	}
	dashes := "--"
	if e.GetSpecifiedShortnames() != "" {
		dashes = "-"
	}
	return Usage(fmt.Sprintf("unknown flag %s%s", dashes, name), hint).WithDetail("after " + cmd.CommandPath())
}

// Pairs reads NAME=VALUE flags. A value is not repeated in an error: an option
// may be a secret (Invariant 5).
func Pairs(flag, form string, given []string) (map[string]string, error) {
	all := make(map[string]string, len(given))
	for _, g := range given {
		name, value, ok := strings.Cut(g, "=")
		if !ok || name == "" {
			return nil, Usage(fmt.Sprintf("a value of %s is not %s", flag, form), fmt.Sprintf("write it as %s %s", flag, form))
		}
		if _, twice := all[name]; twice {
			return nil, Usage(fmt.Sprintf("%s names %q twice", flag, name), "leave one of them out")
		}
		all[name] = value
	}
	return all, nil
}
