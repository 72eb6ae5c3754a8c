package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
)

// runAll runs every source of this machine, one after another. An error of one profile does
// not stop the others; the exit status is the worst.
func (a *app) runAll(ctx context.Context, f runFlags) error {
	if f.lane != (laneFlags{}) || len(f.streams)+len(f.roots)+len(f.set) > 0 || f.acceptRoot {
		return syntax.Usage("--all takes nothing that is for one source", "leave the other flags out, or name one source")
	}
	lanes, broken := a.allLanes()
	if len(lanes) == 0 {
		return broken
	}
	results := []*collector.RunResult{}
	var summaries []string
	var told []func(io.Writer)
	worst := broken
	if broken != nil {
		told = append(told, func(w io.Writer) { fmt.Fprintln(w, output.Clean(a.homely(broken).Error())) })
	}
	for _, l := range lanes {
		result, err := a.runOne(ctx, l, f)
		if result != nil {
			results = append(results, result)
			summaries = append(summaries, summaryOf(result))
			err = failureOf(result, err)
		}
		told = append(told, func(w io.Writer) {
			if result != nil {
				a.writeRun(w, result, err != nil && exitcode.Of(err) != exitcode.Gaps)
			}
			if err != nil && exitcode.Of(err) != exitcode.Gaps {
				fmt.Fprintf(w, "%s  %s\n", output.Clean(l.profile.ConnectorID), output.Clean(a.homely(err).Error()))
			}
		})
		if worse(err, worst) {
			worst = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	list := map[string]any{"object": "local_collector_run_list", "lanes": results}
	if broken != nil {
		list["problem"] = output.ProblemOf(a.homely(broken))
	}
	text := func(w io.Writer) {
		for _, t := range told {
			if !a.Flags.Quiet {
				t(w)
			}
		}
	}
	summary := strings.Join(summaries, "; ")
	if worst == nil || exitcode.Of(worst) == exitcode.Gaps {
		if err := a.Printer.Result(summary, list, text); err != nil {
			return err
		}
		return worst
	}
	if err := a.Printer.Failed(summary, list, a.homely(worst), text); err != nil {
		return err
	}
	return worst
}

func (a *app) runOne(ctx context.Context, l *lane, f runFlags) (result *collector.RunResult, err error) {
	request, err := a.request(f)
	if err != nil {
		return nil, err
	}
	err = a.withRunner(l, f, request, func(c *collector.Collector, request collector.RunRequest) error {
		var err error
		result, err = c.Run(ctx, request)
		return err
	})
	return result, err
}

// worse reports whether one end of a run counts more than another: an interruption
// most, then what failed, then what was refused; gaps the least.
func worse(err, than error) bool {
	rank := func(err error) int {
		status := exitcode.Of(err)
		if status == exitcode.Gaps {
			return 0
		}
		return status
	}
	return err != nil && (than == nil || rank(err) > rank(than))
}
