package syntax

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Group is a command that only holds others. Alone it does what fallback does,
// or says which it holds; the one without a parent shows its help, after shown.
func Group(use, short string, shown func(), fallback func(*cobra.Command) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		if fallback != nil {
			return fallback(cmd)
		}
		if cmd.HasParent() {
			return Usage(cmd.CommandPath()+" needs a command", "one of: "+strings.Join(children(cmd), ", "))
		}
		shown()
		return cmd.Help()
	}
	return cmd
}

func children(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

func unknownCommand(cmd *cobra.Command, word string) error {
	hint := "one of: " + strings.Join(children(cmd), ", ")
	if n := abi.Nearest(word, children(cmd)); n != "" {
		hint = fmt.Sprintf("did you mean: %s %s", cmd.CommandPath(), n)
	}
	return Usage(fmt.Sprintf("unknown command %q", word), hint).WithDetail("after " + cmd.CommandPath())
}
