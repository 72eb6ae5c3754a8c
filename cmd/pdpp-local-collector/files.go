package main

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/filelist"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/leftover"
)

func (a *app) filesCommand() *cobra.Command {
	var change leftover.Change
	cmd := a.upkeep("files", "Show the files that were not understood, and say which are not for the connector",
		"Lists the files of the source's folders that its last run did not read. With --ignore you say which are not\nfor its connector; the next run tells your host.",
		func(cmd *cobra.Command, c *collector.Collector) error {
			f, err := c.Files(cmd.Context(), change)
			if err != nil {
				return err
			}
			return filelist.Tell(a.Printer, f)
		})
	filelist.Add(cmd, &change)
	return cmd
}
