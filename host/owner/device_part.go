package owner

import (
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/public"
	"github.com/pdpp-host/pdpp-host/storage"
)

// bindings are what the commands of a recovery are made for.
func bindings(all []storage.SourceInstance) []view.Binding {
	var out []view.Binding
	for _, f := range ActiveFeeds(all) {
		out = append(out, view.Binding{SourceInstanceID: f.ID, Host: words.Clean(f.DeviceLabel)})
	}
	return out
}

// DevicePart is what a connection's page shows of the devices that feed it, and
// of how to go on where their saved work does not come in.
type DevicePart struct {
	Devices  []Feed              `json:"devices,omitempty"`
	Recovery *view.RecoveryPanel `json:"recovery,omitempty"`
	// Outbox says what is stuck, with the command that looks at it; "" where which
	// of the devices is meant cannot be told.
	Outbox    *view.RemediationPanel `json:"outbox,omitempty"`
	Uploading *view.BackgroundDrain  `json:"uploading,omitempty"`
	// Drift are fields whose type changed in what a device delivers that puts no manifest, the latest change first. It
	// asks for nothing: the records are taken.
	Drift []public.Drift `json:"drift,omitempty"`
}

// DevicePartOf fills in what the verdict has of devices. Commands name the source
// instance and never the connection (HL-23.10).
func DevicePartOf(v *verdict.RenderedVerdict, all []storage.SourceInstance) DevicePart {
	bound := bindings(all)
	p := DevicePart{
		Devices: FeedsOf(all), Recovery: view.RecoveryPanelOf(v, bound), Outbox: view.RemediationPanelOf(v), Uploading: view.BackgroundDrainOf(v, progressOf(all)),
	}
	if p.Outbox != nil {
		if len(bound) == 1 && words.Quoted(bound[0].SourceInstanceID) == bound[0].SourceInstanceID && !strings.HasPrefix(bound[0].SourceInstanceID, "-") {
			p.Outbox.Command = strings.ReplaceAll(p.Outbox.Command, verdict.SourceInstance, bound[0].SourceInstanceID)
		} else {
			p.Outbox.Command = ""
		}
	}
	return p
}

// progressOf is what the trusted devices told of their uploads; nil when none has
// told.
func progressOf(all []storage.SourceInstance) *view.DeviceProgress {
	var pending int64
	var last time.Time
	told, trusted := false, ActiveFeeds(all)
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
		host = words.Clean(trusted[0].DeviceLabel)
	}
	return view.DeviceProgressOf(pending, host, last)
}
