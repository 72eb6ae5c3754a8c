package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
)

func (a *app) configCommand() *cobra.Command {
	show := func(*cobra.Command) error { return a.configShow() }
	cmd := a.group("config", "Show the configuration", show)
	cmd.AddCommand(&cobra.Command{
		Use: "show", Short: "Show every value and where it came from", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return show(cmd) },
	})
	return cmd
}

func (a *app) configShow() error {
	c, err := a.config()
	if err != nil {
		return err
	}
	values := c.Values()
	result := struct {
		File   string `json:"file,omitempty"`
		Values any    `json:"values"`
	}{c.File(), values}
	return a.Printer.Result(fmt.Sprintf("%d values", len(values)), result, func(w io.Writer) {
		rows := make([][]string, len(values))
		for i, v := range values {
			rows[i] = []string{v.Key, v.Value, v.Origin.String()}
		}
		output.Table(w, a.Printer.Style, []string{"key", "value", "from"}, rows)
	})
}
