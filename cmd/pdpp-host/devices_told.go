package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
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
		lines = append(lines, "its connector was renewed and adds "+strings.Join(t.Offered, ", ")+"; nothing of these comes in until you accept them: pdpp-host devices accept "+device)
	}
	if t.ReplacedAt != nil {
		lines = append(lines, "its connector was renewed "+output.Timestamp(*t.ReplacedAt))
	}
	if r := t.Refused; r != nil {
		lines = append(lines, "refused "+output.Timestamp(r.At)+": "+r.Message+" ["+r.Code+"]")
	}
	return lines
}

// devicesAccept takes over what the connectors of a device add, as its owner sees it
// now: what is offered in its place in the meantime is not accepted.
func (a *app) devicesAccept(ctx context.Context, typed string, allow []string) error {
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		found, err := findDevice(ctx, store, typed)
		if err != nil {
			return err
		}
		all, err := store.SourceInstances(ctx, "")
		if err != nil {
			return err
		}
		offers := slices.DeleteFunc(all, func(s storage.SourceInstance) bool { return s.DeviceID != found.ID || s.OfferedAt.IsZero() })
		if len(offers) == 0 {
			return abi.NewError(device.CodeNotFound, found.name()+" offers no manifest", "`pdpp-host devices list` shows the devices")
		}
		if err := a.acceptStreams(ctx, found, offers, allow); err != nil {
			return err
		}
		accepted := map[string][]string{}
		for i := range offers {
			if err := store.AcceptDeviceManifest(ctx, &offers[i]); err != nil {
				return err
			}
			accepted[offers[i].ConnectionName] = offers[i].OfferedStreams
		}
		return a.Printer.Result("accepted what "+found.name()+" adds", map[string]any{"device_id": found.ID, "accepted_streams": accepted}, nil)
	})
}

// acceptStreams asks for the owner's word for each stream that is offered and not
// among allow.
func (a *app) acceptStreams(ctx context.Context, d *deviceRow, offers []storage.SourceInstance, allow []string) error {
	var left []string
	for i := range offers {
		for _, stream := range offers[i].OfferedStreams {
			if !slices.Contains(allow, stream) {
				left = append(left, stream)
			}
		}
		fmt.Fprintf(a.Err, "%s adds: %s\n", output.Clean(offers[i].ConnectionName), output.Clean(strings.Join(offers[i].OfferedStreams, ", ")))
	}
	if len(left) == 0 {
		return nil
	}
	refusal := "the streams were not accepted: " + strings.Join(left, ", ")
	if a.interactive() {
		if yes, err := a.consentAsker().Confirm(ctx, "let "+d.name()+" deliver them?"); yes || err != nil {
			return err
		}
		return usage(refusal, "nothing was changed; answer y to accept them")
	}
	command := []string{"pdpp-host devices accept", d.ID}
	for _, stream := range slices.Concat(allow, left) {
		command = append(command, "--allow", quoted(stream))
	}
	return usage(refusal, "if they may come in: "+strings.Join(command, " "))
}
