package syntax

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// Quoted writes a word as a shell takes it, in quotes where it needs them.
func Quoted(word string) string { return words.Quoted(word) }

// Usage is a usage.invalid error.
func Usage(message, hint string) *abi.Error { return abi.NewError(abi.CodeUsage, message, hint) }

// AsUsage gives what the command parser says its three parts.
func AsUsage(program string, err error) error {
	if abi.CodeOf(err) != abi.CodeInternal {
		return err
	}
	return Usage(err.Error(), "see: "+program+" --help").Wrap(err)
}

// AsksForJSON looks for --json before the end of the flags: a wrong flag ends
// parsing early, and the envelope is owed all the same.
func AsksForJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// CommandName is the command's path without the program's name.
func CommandName(cmd *cobra.Command) string {
	name := cmd.Name()
	for p := cmd.Parent(); p != nil && p.HasParent(); p = p.Parent() {
		name = p.Name() + " " + name
	}
	return name
}

// Takes returns an argument check that names what is missing or too much.
// A name in brackets may be left out.
func Takes(names ...string) cobra.PositionalArgs {
	least := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, "[") })
	if least < 0 {
		least = len(names)
	}
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return Usage(fmt.Sprintf("%s needs %s", cmd.CommandPath(), names[len(args)]),
				"write: "+strings.Join(append([]string{cmd.CommandPath()}, names...), " "))
		case len(args) > len(names):
			return Usage(fmt.Sprintf("%s does not take %q", cmd.CommandPath(), args[len(names)]),
				"write: "+strings.Join(append([]string{cmd.CommandPath()}, names...), " "))
		}
		return nil
	}
}
