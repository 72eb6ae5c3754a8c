package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
)

// deviceView is a source on a device as the connection that it feeds shows it.
type deviceView struct {
	DeviceID         string     `json:"device_id"`
	Label            string     `json:"label"`
	SourceInstanceID string     `json:"source_instance_id"`
	Binding          string     `json:"local_binding_name"`
	HeardAt          *time.Time `json:"last_heartbeat_at"` // null: never
	RevokedAt        *time.Time `json:"revoked_at"`        // null: it is trusted

	told
}

func viewFeeds(all []feed) []deviceView {
	views := make([]deviceView, len(all))
	for i := range all {
		f := &all[i]
		views[i] = deviceView{
			DeviceID: f.DeviceID, Label: f.DeviceLabel, SourceInstanceID: f.ID, Binding: f.Binding, HeardAt: moment(f.HeardAt), RevokedAt: moment(f.RevokedAt),
			told: toldOf(f),
		}
	}
	return views
}

// moment is nil for a time that never was.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// text names the device and what of it feeds the connection.
func (v *deviceView) text() string {
	text := v.DeviceID
	if v.Label != "" {
		text = v.Label + "  " + text
	}
	text += ", source " + v.SourceInstanceID
	if v.Binding != "" {
		text += " (" + v.Binding + ")"
	}
	switch {
	case v.RevokedAt != nil:
		text += ", revoked " + output.Timestamp(*v.RevokedAt)
	case v.HeardAt != nil:
		text += ", heard " + output.Timestamp(*v.HeardAt)
	default:
		text += ", never heard"
	}
	return text
}

// devicePart is what a connection's page shows of the devices that feed it, and
// of how to go on where their saved work does not come in.
type devicePart struct {
	Devices  []deviceView        `json:"devices,omitempty"`
	Recovery *view.RecoveryPanel `json:"recovery,omitempty"`
	// Outbox says what is stuck, with the command that looks at it; "" where which
	// of the devices is meant cannot be told.
	Outbox    *view.RemediationPanel `json:"outbox,omitempty"`
	Uploading *view.BackgroundDrain  `json:"uploading,omitempty"`
}

// devicePartOf fills in what the verdict has of devices. Commands name the source
// instance and never the connection (HL-23.10).
func devicePartOf(v *verdict.RenderedVerdict, all []feed) devicePart {
	bound := bindings(all)
	p := devicePart{
		Devices: viewFeeds(all), Recovery: view.RecoveryPanelOf(v, bound), Outbox: view.RemediationPanelOf(v), Uploading: view.BackgroundDrainOf(v, progressOf(all)),
	}
	if p.Outbox != nil {
		if len(bound) == 1 && quoted(bound[0].SourceInstanceID) == bound[0].SourceInstanceID && !strings.HasPrefix(bound[0].SourceInstanceID, "-") {
			p.Outbox.Command = strings.ReplaceAll(p.Outbox.Command, verdict.SourceInstance, bound[0].SourceInstanceID)
		} else {
			p.Outbox.Command = ""
		}
	}
	return p
}

// progressOf is what the trusted devices told of their uploads; nil when none has
// told.
func progressOf(all []feed) *view.DeviceProgress {
	var pending int64
	var last time.Time
	told, trusted := false, active(all)
	for i := range trusted {
		h := trusted[i].Heartbeat
		if h == nil {
			continue
		}
		if n := h.RecordsPending; n != nil && *n > 0 {
			pending += *n
		}
		told = told || h.RecordsPending != nil
		if h.Outbox == nil || h.Outbox.LastAckAt == nil {
			continue
		}
		if at := *h.Outbox.LastAckAt; at.After(last) {
			last = at
		}
	}
	if !told {
		return nil
	}
	host := ""
	if len(trusted) == 1 {
		host = output.Clean(trusted[0].DeviceLabel)
	}
	return view.DeviceProgressOf(pending, host, last)
}

// writeDevicePart tells it: what is stuck, on which host what is to be typed, and
// what for. A remedy is never behind anything (HL-08). said is what stands above it
// already.
func writeDevicePart(w io.Writer, p *devicePart, said ...string) {
	if p.Uploading != nil {
		fmt.Fprintf(w, "  %s\n", output.Clean(p.Uploading.Text))
	}
	if o := p.Outbox; o != nil {
		if line := o.Label + ": " + o.Scale; o.Scale != "" {
			fmt.Fprintf(w, "  %s\n", output.Clean(line))
		} else if !slices.Contains(said, o.Label) {
			fmt.Fprintf(w, "  %s\n", output.Clean(o.Label))
		}
	}
	if r := p.Recovery; r != nil {
		if !slices.Contains(said, r.Summary) {
			fmt.Fprintf(w, "  %s\n", output.Clean(r.Summary))
		}
		writeRecovery(w, r)
	}
	if o := p.Outbox; o != nil && o.Command != "" && !named(p.Recovery, o.Command) {
		fmt.Fprintf(w, "    Look at it there, which changes nothing:\n      %s\n", output.Clean(o.Command))
	}
	for i := range p.Devices {
		d := &p.Devices[i]
		fmt.Fprintf(w, "  fed by %s\n", output.Clean(d.text()))
		for _, l := range d.lines(d.DeviceID) {
			fmt.Fprintf(w, "    %s\n", output.Clean(l))
		}
	}
}

func writeRecovery(w io.Writer, r *view.RecoveryPanel) {
	if r.Unavailable {
		fmt.Fprintln(w, "    Which of its devices is meant cannot be told, so there is no command to copy.")
		return
	}
	fmt.Fprintf(w, "    On %s:\n", output.Clean(r.Host))
	for _, c := range r.Commands {
		fmt.Fprintf(w, "    %s. %s\n      %s\n", output.Clean(c.Label), output.Clean(c.Purpose), output.Clean(c.Command))
	}
}

// named reports whether a recovery has the command already.
func named(r *view.RecoveryPanel, command string) bool {
	if r == nil {
		return false
	}
	for _, c := range r.Commands {
		if c.Command == command {
			return true
		}
	}
	return false
}
