package main

import (
	"context"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

// told is what a source's deliveries have for the owner to know, and is nobody's
// word but this host's.
type told struct {
	Refused    *storage.RefusedDelivery `json:"refused_delivery"`          // null: the last one was taken
	ReplacedAt *time.Time               `json:"manifest_replaced_at"`      // null: it runs the manifest that it began with
	Offered    []string                 `json:"offered_streams,omitempty"` // that wait for the owner to accept them
	OfferedAt  *time.Time               `json:"offered_at,omitempty"`
}

func toldOf(f *feed) told {
	t := told{Refused: f.Refused, ReplacedAt: moment(f.ReplacedAt), OfferedAt: moment(f.OfferedAt)}
	if !f.OfferedAt.IsZero() {
		t.Offered = f.OfferedStreams
	}
	return t
}

// lines say it to an owner.
func (t *told) lines(device string) (lines []string) {
	if t.OfferedAt != nil {
		lines = append(lines, "its connector was renewed and adds "+strings.Join(t.Offered, ", ")+"; nothing comes in until you accept them: pdpp-host devices accept "+device)
	}
	if t.ReplacedAt != nil {
		lines = append(lines, "its connector was renewed "+output.Timestamp(*t.ReplacedAt))
	}
	if r := t.Refused; r != nil {
		lines = append(lines, "refused "+output.Timestamp(r.At)+": "+r.Message+" ["+r.Code+"]")
	}
	return lines
}

func (a *app) devicesAccept(ctx context.Context, typed string) error {
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		found, err := findDevice(ctx, store, typed)
		if err != nil {
			return err
		}
		all, err := store.SourceInstances(ctx, "")
		if err != nil {
			return err
		}
		accepted := map[string][]string{}
		var last error
		for i := range all {
			s := &all[i]
			if s.DeviceID != found.ID || s.OfferedAt.IsZero() && len(accepted) > 0 {
				continue
			}
			if last = store.AcceptDeviceManifest(ctx, s); last != nil {
				continue
			}
			accepted[s.ConnectionName] = s.OfferedStreams
		}
		if len(accepted) == 0 {
			return last
		}
		return a.Printer.Result("accepted what "+found.name()+" adds", map[string]any{"device_id": found.ID, "accepted_streams": accepted}, nil)
	})
}
