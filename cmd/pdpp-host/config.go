package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
)

func (a *app) configCommand() *cobra.Command {
	show := func(*cobra.Command) error { return a.configShow() }
	cmd := a.Group("config", "Show the configuration", show)
	cmd.AddCommand(&cobra.Command{
		Use: "show", Short: "Show every value and where it came from", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return show(cmd) },
	})
	return cmd
}

// configShown is the result of `config show`.
type configShown struct {
	File   string         `json:"file,omitempty"`
	Values []config.Value `json:"values"`
}

func (v *configShown) summary() string { return fmt.Sprintf("%d values", len(v.Values)) }

func (a *app) configShow() error {
	c, err := a.Config()
	if err != nil {
		return a.configBroken(err)
	}
	v := configShown{c.File(), c.Values()}
	return a.Printer.Result(v.summary(), v, func(w io.Writer) { a.writeConfig(w, &v) })
}

func (a *app) writeConfig(w io.Writer, v *configShown) {
	rows := make([][]string, len(v.Values))
	for i, x := range v.Values {
		rows[i] = []string{x.Key, x.Value, x.Origin.String()}
	}
	output.Table(w, a.Printer.Style, []string{"key", "value", "from"}, rows)
}

// configBroken lists the keys and their defaults above what is wrong with the
// configuration: whoever mends it was sent here to compare.
func (a *app) configBroken(broken error) error {
	var e *abi.Error
	c, err := config.Load(config.Source{Home: a.Home, File: os.DevNull})
	if err != nil || !errors.As(broken, &e) {
		return broken
	}
	hint := strings.NewReplacer("`pdpp-host config show` lists every key", "every key is listed above",
		"compare it with `pdpp-host config show`", "compare it with what is listed above").Replace(e.Hint)
	told := e.WithHint(hint).Wrap(e)
	v := configShown{Values: c.Values()}
	if err := a.Printer.Failed(v.summary(), v, a.Advised(told), func(w io.Writer) { a.writeConfig(w, &v) }); err != nil {
		return err
	}
	return told
}
