package status

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// stalledOutbox is the verdict of a device's connection whose outbox is as given.
func stalledOutbox(state health.OutboxState, cause health.StalledCause) *verdict.RenderedVerdict {
	now := health.At(time.Date(2026, 5, 20, 6, 0, 0, 0, time.UTC))
	v := verdict.Synthesize(verdict.Input{
		Snapshot: health.Project(health.Evidence{
			ObservedAt: now, LocalDeviceBacked: true, Coverage: &health.Coverage{Axis: health.CoverageComplete},
			Freshness: &health.FreshnessResult{Axis: health.FreshnessFresh},
			Outbox:    &health.Outbox{Axis: state, Cause: cause, Counts: &health.OutboxCounts{DeadLetter: new(int64(3)), Pending: new(int64(5))}},
		}),
		RuntimeOK: true, Progress: &verdict.ProgressEvidence{Mode: verdict.ModeLocalDevice},
	})
	return &v
}

// beating is a feed with a heartbeat that tells of work.
func beating(f storage.SourceInstance, pending int64, ack time.Time) storage.SourceInstance {
	f.HeardAt = time.Unix(1000, 0)
	f.Heartbeat = &device.Heartbeat{Status: device.StatusRetrying, RecordsPending: &pending, Outbox: &device.Outbox{LastAckAt: &ack}}
	return f
}

// HL-08.2, HL-23.9, HL-23.10: whatever a device is called and whatever stalled, what
// is to be typed names the source instance and nothing of the installation; where
// there is not exactly one to name, there is nothing to type.
func TestDevicePart(t *testing.T) {
	t.Parallel()
	laptop, gone := fedFrom("src_1", "dev_1", "lap\x1b[31mtop", false), fedFrom("src_2", "dev_2", "old", true)
	for _, cause := range []health.StalledCause{health.CauseDeadLetterBacklog, health.CauseStateReadFailed, health.CauseStalePending, ""} {
		v := stalledOutbox(health.OutboxStalled, cause)
		for name, c := range map[string]struct {
			feeds []storage.SourceInstance
			host  string
			typed bool
		}{
			"one":           {[]storage.SourceInstance{laptop}, "lap[31mtop", true},
			"one of two":    {[]storage.SourceInstance{gone, laptop}, "lap[31mtop", true},
			"one unnamed":   {[]storage.SourceInstance{fedFrom("src_1", "dev_1", "", false)}, "the host that holds the data", true},
			"two":           {[]storage.SourceInstance{laptop, fedFrom("src_3", "dev_3", "desk", false)}, "", false},
			"none any more": {[]storage.SourceInstance{gone}, "", false},
			"none":          {nil, "", false},
			"a shell's id":  {[]storage.SourceInstance{fedFrom("x; rm -rf ~", "dev_1", "laptop", false)}, "", false},
			"a flag's id":   {[]storage.SourceInstance{fedFrom("--apply", "dev_1", "laptop", false)}, "", false},
		} {
			p := owner.DevicePartOf(v, c.feeds)
			if p.Recovery == nil || p.Outbox == nil || p.Outbox.Scale != "5 waiting, 3 given up" {
				t.Fatalf("%s, %q: %+v", name, cause, p)
			}
			var b bytes.Buffer
			writeDevicePart(&b, &p)
			text := b.String()
			if strings.Contains(text, "\x1b") || strings.Contains(text, "{") {
				t.Errorf("%s, %q: %q", name, cause, text)
			}
			if p.Recovery.Unavailable == c.typed || strings.Contains(text, "pdpp-local-collector") != c.typed || p.Outbox.Command != "" != c.typed {
				t.Errorf("%s, %q: %s", name, cause, text)
			}
			if c.typed && (!strings.Contains(text, "On "+c.host+":\n") || strings.Count(text, "--source-instance-id src_1") != strings.Count(text, "pdpp-local-collector")) {
				t.Errorf("%s, %q: %s", name, cause, text)
			}
			for _, command := range p.Recovery.Commands {
				if command.Purpose == "" || !strings.Contains(text, command.Purpose) || strings.ContainsAny(command.Command, "/:{") {
					t.Errorf("%s, %q: %+v", name, cause, command)
				}
			}
		}
	}
}

// HL-08.3, HL-12.2, HL-31.1: what has not stalled shows no panel and no count; what
// is on its way shows how much, and no command.
func TestQuietDevicePart(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 20, 5, 0, 0, 0, time.UTC)
	laptop, desk := beating(fedFrom("src_1", "dev_1", "laptop", false), 7, at), beating(fedFrom("src_2", "dev_2", "desk", false), 2, at.Add(time.Hour))
	gone := beating(fedFrom("src_3", "dev_3", "old", true), 100, at.Add(2*time.Hour))
	for _, state := range []health.OutboxState{health.OutboxIdle, health.OutboxActive, health.OutboxUnknown} {
		for want, feeds := range map[string][]storage.SourceInstance{
			"  Saved work is uploading from laptop: 7 to go. Last progress 2026-05-20T05:00:00Z.\n":                       {laptop, gone},
			"  Saved work is uploading from the host that holds the data: 9 to go. Last progress 2026-05-20T06:00:00Z.\n": {laptop, desk},
			"": {beating(fedFrom("src_1", "dev_1", "laptop", false), 0, at), gone},
		} {
			p := owner.DevicePartOf(stalledOutbox(state, ""), feeds)
			p.Devices = nil
			var b bytes.Buffer
			if writeDevicePart(&b, &p); b.String() != want {
				t.Errorf("%s: %q, want %q", state, b.String(), want)
			}
			if text, err := json.Marshal(p); err != nil || strings.Contains(string(text), "command") {
				t.Errorf("%s: %s, %v", state, text, err)
			}
		}
	}
}

func fedFrom(source, device, label string, revoked bool) storage.SourceInstance {
	f := storage.SourceInstance{ID: source, DeviceID: device, DeviceLabel: label, Binding: "home"}
	if revoked {
		f.RevokedAt = time.Unix(1, 0)
	}
	return f
}
