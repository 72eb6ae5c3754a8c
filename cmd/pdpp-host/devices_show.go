package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

// sourceView is one source on a device, with what the device said of it last: the
// device's own words and counts, which decide nothing here.
type sourceView struct {
	ID         string            `json:"source_instance_id"`
	Connection string            `json:"connection"`
	Connector  string            `json:"connector_id"`
	Binding    string            `json:"local_binding_name"`
	HeardAt    *time.Time        `json:"last_heartbeat_at"` // null: never
	Heartbeat  *device.Heartbeat `json:"heartbeat"`         // null: there was none

	told
}

// shownDevice is a device with its sources.
type shownDevice struct {
	deviceRow

	Sources []sourceView `json:"source_instances"`
}

func (a *app) devicesShow(ctx context.Context, typed string) error {
	return a.toRead(ctx, func(_ *config.Config, store *storage.Store) error {
		found, err := findDevice(ctx, store, typed)
		if err != nil {
			return err
		}
		all, err := store.SourceInstances(ctx, "")
		if err != nil {
			return err
		}
		v := shownDevice{deviceRow: *found, Sources: []sourceView{}}
		for i := range all {
			if s := &all[i]; s.DeviceID == v.ID {
				v.Sources = append(v.Sources, sourceView{s.ID, s.ConnectionName, s.ConnectorID, s.Binding, moment(s.HeardAt), s.Heartbeat, toldOf(s)})
			}
		}
		return a.Printer.Result(v.ID+"  "+v.name(), v, func(w io.Writer) { writeDevice(w, &v) })
	})
}

func writeDevice(w io.Writer, v *shownDevice) {
	line := func(name, value string) { fmt.Fprintf(w, "%-12s %s\n", name, output.Clean(value)) }
	line("device", v.ID)
	line("name", v.name())
	line("state", v.state())
	line("version", dash(v.AgentVersion))
	line("enrolled", output.Timestamp(v.CreatedAt))
	for i := range v.Sources {
		s := &v.Sources[i]
		line("source", fmt.Sprintf("%s  %s %s, feeds %s", s.ID, s.Connector, s.Binding, s.Connection))
		for _, l := range append(heartbeatLines(s), s.lines(v.ID)...) {
			fmt.Fprintf(w, "%-12s   %s\n", "", output.Clean(l))
		}
	}
}

// heartbeatLines are what a source said of its uploads, as it said it.
func heartbeatLines(s *sourceView) []string {
	h := s.Heartbeat
	if h == nil || s.HeardAt == nil {
		return []string{"it has said nothing yet"}
	}
	first := "said " + output.Timestamp(*s.HeardAt) + ": " + dash(h.Status)
	o := h.Outbox
	if o == nil {
		return []string{first}
	}
	if o.LifecycleState != "" {
		first += ", " + o.LifecycleState
	}
	lines := []string{first, fmt.Sprintf("uploads: %s waiting, %s being sent, %s to be sent again, %s left half-way, %s given up, %s delivered",
		output.Count(o.Pending), output.Count(o.Leased), output.Count(o.Retrying), output.Count(o.StaleLeases), output.Count(o.DeadLetter), output.Count(o.Succeeded))}
	if o.BacklogOpen > 0 {
		lines = append(lines, output.Count(o.BacklogOpen)+" not taken up yet")
	}
	for _, x := range []struct {
		what string
		at   *time.Time
	}{{"oldest waiting", o.OldestPendingAt}, {"last delivery", o.LastAckAt}, {"last checkpoint", o.LastCheckpointAt}} {
		if x.at != nil {
			lines = append(lines, x.what+" "+output.Timestamp(*x.at))
		}
	}
	if e := h.LastError; e != nil {
		lines = append(lines, "it is blocked: "+e.Kind)
		for _, c := range e.Classes {
			lines = append(lines, fmt.Sprintf("given up: %s of %s", output.Count(c.Count), c.Class))
		}
	}
	return lines
}
