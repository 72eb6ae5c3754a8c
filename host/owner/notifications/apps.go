package notifications

import (
	"context"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/notify"
	"github.com/pdpp-host/pdpp-host/storage"
)

// appsEvery is how long nobody is told of apps again: strangers make requests.
const appsEvery = time.Hour

// tellOfApps tells the owner that an app waits for their decision, by each channel, once an
// hour at most. A request lasts ten minutes: a notification that fails is not tried again.
// It has no word of the app's.
func (w *watching) tellOfApps(ctx context.Context, now time.Time) error {
	if !w.apps.IsZero() && now.Sub(w.apps).Abs() < appsEvery {
		return nil
	}
	requests, err := w.store.WaitingRequests(ctx)
	if err != nil || !slices.ContainsFunc(requests, waits) {
		return err
	}
	channels, err := w.store.Channels(ctx)
	if err != nil {
		return err
	}
	w.apps = now
	title, body := notify.AppText()
	for i := range channels {
		n := notify.Notification{ID: newID(w.o, "note_"), Title: title, Body: body}
		w.sending.running.Go(func() {
			within, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendWithin)
			defer cancel()
			if err := w.sending.send(within, &channels[i], n); err != nil {
				w.logger.Warn("a channel does not tell that an app waits", "channel", channels[i].ID, "code", abi.CodeOf(err))
			}
		})
	}
	return nil
}

// waits reports whether an app waits for a request that its owner may not have in front of
// them: a browser that brings the answer is the owner's own.
func waits(r storage.GrantRequest) bool {
	return r.Token != "" || r.Flow == storage.FlowDevice || r.Flow == storage.FlowOwner
}
