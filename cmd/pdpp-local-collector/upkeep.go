package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
)

// upkeep is a command that does one thing to a lane's outbox.
func (a *app) upkeep(use, short, long string, do func(*cobra.Command, *collector.Collector) error) *cobra.Command {
	var f laneFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.lane(f)
			if err != nil {
				return err
			}
			c, err := a.collector(l)
			if err != nil {
				return err
			}
			return do(cmd, c)
		},
	}
	f.add(cmd)
	return cmd
}

func (a *app) retryCommand() *cobra.Command {
	return a.upkeep("retry-dead-letters", "Queue again what the host refused", "Queues everything again that the host refused for good. The next run delivers it.",
		func(cmd *cobra.Command, c *collector.Collector) error {
			r, err := c.RetryDeadLetters(cmd.Context())
			if err != nil {
				return err
			}
			next := "the next run delivers it: " + program + " run --source-instance-id " + r.SourceInstanceID
			if r.Requeued == 0 {
				next = waiting(r.After.Counts)
			}
			return a.printDone(output.Plural(r.Requeued, "row")+" queued again", output.Clean(next), r)
		})
}

func (a *app) pruneCommand() *cobra.Command {
	var keep int64
	cmd := a.upkeep("prune-sent", "Remove what the host has confirmed from the outbox",
		"Removes confirmed rows from the outbox, but for the newest. What waits or was refused stays. Every run does\nthe same by itself.",
		func(cmd *cobra.Command, c *collector.Collector) error {
			if keep < 1 {
				return syntax.Usage("--keep is below one", "write a whole number above zero, or leave it out")
			}
			r, err := c.PruneSent(cmd.Context(), keep)
			if err != nil {
				return err
			}
			return a.printDone(output.Plural(r.PrunedSent.Pruned, "confirmed row")+" removed", waiting(r.After.Counts), r)
		})
	cmd.Flags().Int64Var(&keep, "keep", 10_000, "keep the newest `N` rows")
	return cmd
}

func (a *app) compactCommand() *cobra.Command {
	return a.upkeep("compact", "Give the disk back what was removed", "Makes the outbox's file as small as what it holds. It is refused while something waits.",
		func(cmd *cobra.Command, c *collector.Collector) error {
			r, err := c.Compact(cmd.Context())
			if err != nil {
				return err
			}
			return a.printDone(output.Bytes(max(r.BytesBefore-r.BytesAfter, 0))+" given back", output.Bytes(r.BytesAfter)+" in use", r)
		})
}

// printDone ends a command that did one thing.
func (a *app) printDone(did, now string, result any) error {
	return a.Printer.Result(did, result, func(w io.Writer) {
		if !a.Flags.Quiet {
			fmt.Fprintf(w, "%s    %s\n", did, now)
		}
	})
}
