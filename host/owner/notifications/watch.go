package notifications

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/notify"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// How often the loop looks.
const (
	lookEvery = time.Second      // whether anything has changed at all
	timeEvery = 30 * time.Second // what time alone has changed
	keepEvery = time.Minute      // the place of the last look, where nothing came of it
)

// answerRequest is the action that asks for an answer. While a run goes on it is the run's
// question, of which the owner is told by itself.
const answerRequest = "cta_add_info"

// changedPage is how many changed connections are read at a time.
const changedPage = 500

// watching is the loop.
type watching struct {
	o       *owner.Owner
	store   *storage.Store
	sending *sending
	logger  *slog.Logger
	place   int64     // of the last change that was looked at
	at      time.Time // of the last look
	kept    time.Time // when the last look was kept
	apps    time.Time // when the owner was last told of apps that ask; zero: never
}

// Watch tells the owner what needs them, until ctx ends. o is for this loop alone. A failure
// is logged and tried again: nothing waits for it.
func Watch(ctx context.Context, o *owner.Owner) {
	logger := o.Logger
	for ctx.Err() == nil {
		if err := watch(ctx, o); err != nil && ctx.Err() == nil {
			logger.Warn("nobody can be told what needs them; tried again", "code", abi.CodeOf(err))
		}
		rest(ctx, timeEvery)
	}
}

func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// watch looks until ctx ends or the store fails.
func watch(ctx context.Context, o *owner.Owner) error {
	store, err := o.Store(ctx)
	if err != nil {
		return err
	}
	w, err := begin(ctx, o, store)
	if err != nil {
		return err
	}
	defer w.sending.running.Wait()
	changes, err := store.Watch(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = changes.Close() }()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for changed := true; ; {
		if changed || o.Now().Sub(w.at).Abs() >= timeEvery {
			if err := w.look(ctx); err != nil {
				return err
			}
			if err := w.sending.deliver(ctx); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if changed, err = changes.Changed(ctx); err != nil {
			return err
		}
	}
}

// begin goes on from the last look that was kept.
func begin(ctx context.Context, o *owner.Owner, store *storage.Store) (*watching, error) {
	if err := store.DropClaimed(ctx); err != nil {
		return nil, err
	}
	_, looked, err := store.NoticeSettings(ctx)
	if err != nil {
		return nil, err
	}
	s, err := newSending(ctx, o, store)
	if err != nil { // the key of Web Push cannot be read: the other channels work
		o.Logger.Warn("nothing goes by Web Push: its key cannot be read", "code", abi.CodeOf(err))
	}
	return &watching{o: o, store: store, sending: s, logger: o.Logger, place: looked.Place, at: looked.At, kept: looked.At}, nil
}

// look looks at what has changed since the last look, and keeps what comes of it.
func (w *watching) look(ctx context.Context) error {
	now := w.o.Now()
	kept, _, err := w.store.NoticeSettings(ctx)
	if err != nil {
		return err
	}
	if kept.PushPublic != "" && w.sending.sender.PushKey == nil {
		if err := w.sending.readPushKey(ctx); err != nil {
			w.logger.Debug("the key of Web Push cannot be read", "code", abi.CodeOf(err))
		}
	}
	settings := decided(&kept)
	if !settings.Quiet(now) {
		if err := w.tellOfApps(ctx, now); err != nil {
			return err
		}
	}
	episodes, err := w.episodes(ctx)
	if err != nil {
		return err
	}
	open, err := w.store.Questions(ctx, storage.QuestionQuery{Open: true}, holder.Alive)
	if err != nil {
		return err
	}
	ids, place, err := w.toLook(ctx, episodes, open, !settings.Quiet(now), now)
	if err != nil {
		return err
	}
	seen, err := w.see(ctx, ids, open)
	if err != nil {
		return err
	}
	d := notify.Decide(episodes, seen, settings, now)
	w.place, w.at = place, now
	if len(d.Kept)+len(d.Over)+len(d.Texts) == 0 && now.Sub(w.kept).Abs() < keepEvery {
		return nil
	}
	w.kept = now
	return w.store.KeepLook(ctx, w.lookOf(&d, place, now))
}

// decided are the settings as a decision takes them.
func decided(s *storage.NoticeSettings) *notify.Settings {
	zone, err := time.LoadLocation(s.Zone)
	if err != nil { // of a machine that knows fewer zones
		zone = time.UTC
	}
	return &notify.Settings{QuietFrom: int(s.QuietFrom), QuietUntil: int(s.QuietUntil), Zone: zone, TellsOver: s.TellsOver}
}

func (w *watching) episodes(ctx context.Context) ([]notify.Episode, error) {
	all, err := w.store.Episodes(ctx)
	out := make([]notify.Episode, len(all))
	for i, e := range all {
		out[i] = notify.Episode(e)
	}
	return out, err
}

// toLook are the connections to look at, and the place of the last change: those that have
// changed, also by time alone, those with questions, and those of which the owner is to be
// told now.
func (w *watching) toLook(ctx context.Context, episodes []notify.Episode, open []storage.Question, tells bool, now time.Time) (ids []string, place int64, err error) {
	chosen, asked := map[string]bool{}, map[string]bool{}
	for place = w.place; ; {
		page, err := w.store.ChangedSince(ctx, place, changedPage)
		if err != nil {
			return nil, 0, err
		}
		for _, c := range page {
			chosen[c.ConnectionID], place = true, c.Place
		}
		if len(page) < changedPage {
			break
		}
	}
	standing, err := w.store.StandingSince(ctx, w.at, now, changedPage)
	if err != nil {
		return nil, 0, err
	}
	for _, id := range standing {
		chosen[id] = true
	}
	for _, q := range open {
		chosen[q.ConnectionID], asked[notify.QuestionIdentity(q.ID)] = true, true
	}
	for i := range episodes {
		e := &episodes[i]
		if tells && e.Due(now) || e.Question() && !asked[e.Identity] {
			chosen[e.ConnectionID] = true
		}
	}
	return slices.Sorted(maps.Keys(chosen)), place, nil
}

// see looks at connections: the verdict says whether the owner is to be reached (HL-29).
func (w *watching) see(ctx context.Context, ids []string, open []storage.Question) ([]notify.Seen, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	runtime, err := w.o.Runtime(ctx)
	if err != nil {
		return nil, err
	}
	var out []notify.Seen
	for _, id := range ids {
		e, err := w.store.EvidenceOf(ctx, id)
		switch {
		case abi.CodeOf(err) == abi.CodeConnectionUnknown:
			continue // it was removed a moment ago
		case err != nil:
			return nil, err
		}
		c := notify.Seen{ConnectionID: id, Connection: e.Name, Settled: !e.Facts.Running()}
		if v := w.o.Verdict(e, runtime); verdict.ShouldPush(v) && (c.Settled || v.RequiredActions[0].CTACode != answerRequest) {
			a := &v.RequiredActions[0]
			c.Needs = append(c.Needs, notify.ActionNeed(e.Name, string(a.Kind)+" "+string(a.CTACode), a.CTA))
		}
		for i := range open {
			if q := &open[i]; q.ConnectionID == id {
				c.Needs = append(c.Needs, notify.QuestionNeed(e.Name, q.ID, q.Kind))
			}
		}
		out = append(out, c)
	}
	return out, nil
}

func (w *watching) lookOf(d *notify.Decision, place int64, now time.Time) storage.NoticeLook {
	l := storage.NoticeLook{Place: place, At: now}
	for _, e := range d.Kept {
		l.Kept = append(l.Kept, storage.Episode(e))
	}
	for _, e := range d.Over {
		l.Over = append(l.Over, storage.Episode(e))
	}
	for _, t := range d.Texts {
		l.Texts = append(l.Texts, storage.NoticeText{ConnectionID: t.ConnectionID, Identity: t.Identity, ID: newID(w.o, "note_"), Title: t.Title, Body: t.Body})
	}
	return l
}
