package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

func (a *app) connectionsList(ctx context.Context) error {
	return a.toRead(ctx, func(_ *config.Config, store *storage.Store) error {
		views, err := a.viewConnections(ctx, store)
		if err != nil {
			return err
		}
		summary := output.Plural(int64(len(views)), "connection")
		return a.Printer.Result(summary, map[string]any{"connections": views}, func(w io.Writer) {
			if len(views) == 0 {
				fmt.Fprintln(w, a.advice(noConnections))
				return
			}
			a.writeConnections(w, views)
			for i := range views {
				if views[i].Unreadable {
					fmt.Fprintln(w, output.Clean(views[i].Name)+": its options or folders cannot be read: "+a.advice(program+" doctor"))
				}
			}
		})
	})
}

// viewConnections reads everything that the list shows, of all connections at once.
func (a *app) viewConnections(ctx context.Context, store *storage.Store) ([]connectionView, error) {
	all, err := store.Connections(ctx)
	if err != nil {
		return nil, err
	}
	briefs, err := a.briefs(ctx, store)
	if err != nil {
		return nil, err
	}
	latest, err := store.LatestRuns(ctx)
	if err != nil {
		return nil, err
	}
	fed, err := feedsByConnection(ctx, store)
	if err != nil {
		return nil, err
	}
	views := make([]connectionView, len(all))
	for i := range all {
		views[i] = viewConnection(&all[i])
		views[i].Devices = viewFeeds(fed[all[i].ID])
		if r, ran := latest[all[i].ID]; ran {
			views[i].LastRun, views[i].lastRun = viewRun(&r), r.Status
			if r.Status == storage.StatusRunning || r.Unreadable {
				views[i].lastRun = state(&r)
			}
		}
		if b, ok := briefs[all[i].Name]; ok {
			views[i].Verdict = &b
		}
	}
	return views, nil
}

func (a *app) writeConnections(w io.Writer, views []connectionView) {
	header := []string{"name", "connector", "module", "health", "last run", "at"}
	devices := slices.ContainsFunc(views, func(v connectionView) bool { return len(v.Devices) > 0 })
	if devices {
		header = append(header, "runs on")
	}
	rows := make([][]string, len(views))
	for i, v := range views {
		last, when := "never ran", "-"
		if v.LastRun != nil {
			last, when = v.lastRun, output.Timestamp(v.LastRun.StartedAt)
		}
		health := "-"
		if v.Verdict != nil {
			health = v.Verdict.Pill.Label
		}
		rows[i] = []string{v.Name, v.Connector, output.ShortHash(dash(v.PinnedSHA256)), health, last, when}
		if devices {
			rows[i] = append(rows[i], whereText(v.Devices))
		}
	}
	output.Table(w, a.Printer.Style, header, rows)
}

// whereText says where a connection is run: on the devices that are trusted, or on
// those that were, while none has taken their place.
func whereText(devices []deviceView) string {
	if len(devices) == 0 {
		return "this host"
	}
	var names []string
	trusted := slices.ContainsFunc(devices, func(d deviceView) bool { return d.RevokedAt == nil })
	for i := range devices {
		if trusted && devices[i].RevokedAt != nil {
			continue
		}
		name := deviceName(devices[i].Label, devices[i].DeviceID, devices[i].Binding)
		if devices[i].RevokedAt != nil {
			name += " (revoked)"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return output.Clean(strings.Join(names, ", "))
}
