package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
)

func (a *app) recoverCommand() *cobra.Command {
	var f runFlags
	var apply bool
	cmd := &cobra.Command{
		Use: "recover", Short: "Get a stuck collector going again", Args: syntax.Takes(),
		Long: "Shows what a recovery of one source instance would do, and changes nothing. With --apply it queues again\n" +
			"what the host refused, and runs the collector once.",
		Example: "  " + program + " recover --source-instance-id ID\n  " + program + " recover --source-instance-id ID --apply",
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.recoverable(f.lane)
			if err != nil {
				return err
			}
			request, err := a.request(f)
			if err != nil {
				return err
			}
			if !apply {
				c, err := a.collector(l)
				if err != nil {
					return err
				}
				r, err := c.Recover(cmd.Context(), collector.RecoverRequest{Run: request})
				return a.tellRecovery(r, err)
			}
			return a.withRunner(l, f, request, func(c *collector.Collector, request collector.RunRequest) error {
				r, err := c.Recover(cmd.Context(), collector.RecoverRequest{Apply: true, Run: request})
				return a.tellRecovery(r, err)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&apply, "apply", false, "do it")
	return cmd
}

// tellRecovery tells what a recovery would do, or did.
func (a *app) tellRecovery(r *collector.Recovery, err error) error {
	if r == nil {
		return err
	}
	r.DB.Path = a.tilde(r.DB.Path)
	if r.Mode != collector.ModeApply || r.Run == nil {
		if err != nil {
			return err
		}
		return a.Printer.Result(output.Clean("would recover "+r.ConnectorID), r, func(w io.Writer) { a.writePlan(w, r) })
	}
	text := func(w io.Writer) {
		if !a.Flags.Quiet {
			fmt.Fprintf(w, "queued again: %s    freed: %s\n", output.Plural(r.Planned.RequeueDeadLetters, "row"), output.Plural(r.Planned.RecoverLeases, "row"))
			a.writeRun(w, r.Run, err != nil || undeliverable(r.Run) != nil)
		}
	}
	return a.tellEnded(r.Run, summaryOf(r.Run), r, err, text)
}

// writePlan says what --apply would do.
func (a *app) writePlan(w io.Writer, r *collector.Recovery) {
	fmt.Fprintf(w, "%s  %s  %s\n", a.Printer.Style.Pill(stateTone(r.Before.LifecycleState), stateWords(r.Before.LifecycleState)),
		output.Clean(r.ConnectorID), waiting(r.Before.Counts))
	fmt.Fprintln(w, "nothing was changed and nothing was sent; with --apply this would")
	if n := r.Planned.RequeueDeadLetters; n > 0 {
		fmt.Fprintf(w, "  queue %s again that the host refused\n", output.Plural(n, "row"))
	}
	if n := r.Planned.RecoverLeases; n > 0 {
		fmt.Fprintf(w, "  free %s that a run which was cut off still holds\n", output.Plural(n, "row"))
	}
	if r.Planned.Run {
		fmt.Fprintln(w, "  run the collector once")
	}
	path := output.Clean(r.DB.Path)
	if !r.DB.Exists {
		path += ", not made yet"
	}
	fmt.Fprintf(w, "outbox: %s\ndo it with: %s recover --source-instance-id %s --apply\n", path, program, output.Clean(r.SourceInstanceID))
}
