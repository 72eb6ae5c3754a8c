package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

func (a *app) connectionsShow(ctx context.Context, name string) error {
	return a.toRead(ctx, func(_ *config.Config, store *storage.Store) error {
		conn, err := a.connection(ctx, store, name)
		if err != nil {
			return err
		}
		v := viewConnection(conn)
		streams, err := store.Streams(ctx, conn.Name)
		if err != nil {
			return err
		}
		for _, s := range streams {
			v.Streams = append(v.Streams, streamView{s.Name, s.Live, s.Deleted, s.LastSeq})
		}
		points, err := store.Checkpoints(ctx, conn.Name)
		if err != nil {
			return err
		}
		for _, p := range points {
			v.Checkpoints = append(v.Checkpoints, checkpointView{p.Stream, p.Bookmark, p.RunID, p.At, p.Staged, len(p.Cursor)})
		}
		fed, err := store.SourceInstances(ctx, conn.ID)
		if err != nil {
			return err
		}
		if v.Devices = viewFeeds(fed); len(fed) == 0 { // a device has a schedule of its own
			if v.Schedule, err = a.scheduleOf(ctx, store, conn); err != nil {
				return err
			}
		}
		if v.Credentials, err = shownCredentials(ctx, store, conn); err != nil {
			return err
		}
		if v.Destinations, err = store.Destinations(ctx, conn.ID); err != nil {
			return err
		}
		e, err := store.EvidenceOf(ctx, conn.ID)
		if err != nil {
			return err
		}
		v.OpenGaps = e.OpenGaps()
		runtime, err := a.runtime(ctx, store)
		if err != nil {
			return err
		}
		rendered := a.rendered(e, runtime)
		brief := view.BriefOf(&rendered)
		v.Verdict = &brief
		return a.Printer.Result(v.Name, v, func(w io.Writer) { a.writeConnection(w, v) })
	})
}

func (a *app) writeConnection(w io.Writer, v connectionView) {
	line := func(name, value string) { fmt.Fprintf(w, "%-12s %s\n", name, output.Clean(value)) }
	line("connection", v.Name)
	line("connector", v.Connector)
	if v.Verdict != nil {
		line("health", v.Verdict.Pill.Label+"  "+v.Verdict.ForwardStatement)
	}
	line("module", dash(v.PinnedSHA256))
	if v.ModulePath != "" {
		line("module at", v.ModulePath)
	}
	if v.Unreadable {
		line("unreadable", "its options or folders cannot be read: "+a.advice(program+" doctor"))
	}
	for i := range v.Devices {
		line("device", v.Devices[i].text())
	}
	if v.Schedule != nil {
		line("schedule", v.Schedule.text())
	}
	for _, name := range sorted(v.Roots) {
		line("root", name+" = "+v.Roots[name])
	}
	if len(v.Options) > 0 {
		line("options", strings.Join(v.Options, ", ")+" (values not shown)")
	}
	if v.BaseURL != "" {
		line("asks at", v.BaseURL)
	}
	for _, c := range v.Credentials {
		line("credential", c.Field+"  "+c.from())
	}
	for _, d := range v.Destinations {
		line("sent to", fmt.Sprintf("%s  %s, %s out, %s in, last %s", d.Host, output.Plural(d.Requests, "request"),
			output.Bytes(d.BytesOut), output.Bytes(d.BytesIn), d.Last.UTC().Format(time.RFC3339)))
	}
	for _, s := range v.Streams {
		line("stream", fmt.Sprintf("%s  %s, %s deleted", s.Name, output.Plural(s.Records, "record"), output.Count(s.Deleted)))
	}
	for _, p := range v.Checkpoints {
		state := "committed"
		if p.Staged {
			state = "staged"
		}
		line("checkpoint", fmt.Sprintf("%s  %s, %s by %s at %s", p.Stream, p.Bookmark, state, p.RunID, output.Timestamp(p.At)))
	}
	if v.OpenGaps != nil {
		line("details", output.Count(*v.OpenGaps)+" still to fetch")
	}
}
