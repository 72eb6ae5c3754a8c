package owner

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/public"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// MissingRecords are records that are missing for having been rejected.
type MissingRecords = storage.MissingRecords

// ConnectionStatus is how one of many connections is.
type ConnectionStatus struct {
	view.Item

	Outbox *view.OutboxCue `json:"outbox,omitempty"` // of what a device has not delivered
	// ModuleMissing stands beside the verdict, which knows of it from the server.
	ModuleMissing bool `json:"module_missing,omitempty"`

	ID         string `json:"-"`
	Feeds      []Feed `json:"-"` // the devices that feed it; none: this host runs it
	Unaccepted bool   `json:"-"` // its owner has accepted no module yet
	Rejected   bool   `json:"-"` // records failed their schema, and no run has delivered them since
}

// Fleet is a page of connections, and all of them counted.
type Fleet struct {
	Connections []ConnectionStatus `json:"connections"`
	Fleet       view.Fleet         `json:"fleet"`
	Runtime     view.Runtime       `json:"runtime"`
	Next        string             `json:"next,omitempty"` // the page goes on after this name
}

// Health is one connection with its whole verdict.
type Health struct {
	Name      string                  `json:"name"`
	Connector string                  `json:"connector"`
	Verdict   verdict.RenderedVerdict `json:"verdict"` // its Detail only where it was asked for

	ModuleMissing bool     `json:"module_missing,omitempty"`
	Refusal       *Refusal `json:"refusal,omitempty"` // where the detail was asked for
	// NotCollected is what the last run left out, in its own words.
	NotCollected []run.KnownGap `json:"not_collected,omitempty"`
	// Missing is what it lacks, and what mends it.
	Missing []Missing `json:"missing,omitempty"`
	// RejectedRecords failed their schema, and no run has delivered them since.
	RejectedRecords []MissingRecords `json:"rejected_records,omitempty"`

	DevicePart

	Runtime    view.Runtime `json:"-"`
	Unaccepted bool         `json:"-"` // its owner has accepted no module yet
	Undated    bool         `json:"-"` // nothing says when its data is old
}

// Fleet returns a page of connections by name, after that of after, and counts all.
func (o *Owner) Fleet(ctx context.Context, after string, limit int) (*Fleet, error) {
	return o.FleetChosen(ctx, Choice{}, after, limit)
}

// OnlyConnection returns the name of the connection when there is only one, else "".
func (o *Owner) OnlyConnection(ctx context.Context) (string, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return "", err
	}
	page, err := store.EvidencePage(ctx, "", 2)
	if err != nil || len(page) != 1 {
		return "", err
	}
	return page[0].Name, nil
}

// Health returns how one connection is. detail asks for everything that its verdict
// rests on.
func (o *Owner) Health(ctx context.Context, name string, detail bool) (*Health, error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	e, err := store.EvidenceOf(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	runtime, err := o.Runtime(ctx)
	if err != nil {
		return nil, err
	}
	fed, err := store.SourceInstances(ctx, e.ConnectionID)
	if err != nil {
		return nil, err
	}
	v := o.Verdict(e, runtime)
	b := view.BriefOf(&v)
	h := &Health{
		Name: e.Name, Connector: e.Connector, Verdict: v, ModuleMissing: len(fed) == 0 && o.missesModule(ctx, store, e, &b), DevicePart: DevicePartOf(&v, fed),
		RejectedRecords: e.MissingRecords(), Runtime: runtime, Unaccepted: !e.Accepted(), Undated: !e.Dates(),
	}
	if len(fed) > 0 {
		h.Drift = public.DriftIn(conn.PinnedManifest)
	}
	if h.NotCollected, err = leftOut(ctx, store, e); err != nil {
		return nil, err
	}
	if h.Missing, err = missingOf(ctx, store, e, h.NotCollected); err != nil {
		return nil, err
	}
	if !detail {
		h.Verdict.Detail = nil
	} else {
		if h.Refusal, err = RefusalOf(ctx, store, e.ConnectionID); err == nil {
			h.Verdict.Detail.Said, err = saidOf(ctx, store, e)
		}
	}
	return h, err
}

// LeftByRun reports whether a run's own words say what is to be put right.
func LeftByRun(a *view.Action) bool {
	return a.CTACode == "cta_put_right_gap" || a.CTACode == CTACameBack
}

// CTACameBack is the code of the action over what two runs in a row met unchanged.
const CTACameBack = "cta_came_back_unchanged"

// missesModule reports whether the plugins folder has no module of a connection
// that this host runs, where its verdict does not say so already. It is no part of
// the verdict, which is made of what is stored alone, and no store knows a folder: the
// server looks there, and keeps what it finds.
func (o *Owner) missesModule(ctx context.Context, store *storage.Store, e *storage.Evidence, b *view.Brief) bool {
	said := slices.ContainsFunc(b.RequiredActions, func(a view.Action) bool { return a.CTACode == "cta_put_right_module" })
	if said || !modules.Gone(o.Config, e.Connector) {
		return false
	}
	conn, err := store.Connection(ctx, e.Name)
	return err != nil || modules.Missing(o.Config, conn)
}

// leftOut returns what the connection's run said that it did not collect: the words
// behind a verdict that names a gap.
func leftOut(ctx context.Context, store *storage.Store, e *storage.Evidence) ([]run.KnownGap, error) {
	told, err := store.LeftOut(ctx, e)
	var gaps []run.KnownGap
	if err != nil || json.Unmarshal(told, &gaps) != nil {
		return nil, err
	}
	if len(e.MissingRecords()) > 0 { // which say it as it is now
		gaps = slices.DeleteFunc(gaps, func(g run.KnownGap) bool { return g.Kind == run.KindRejectedEarlier })
	}
	return unexplainedNow(ctx, store, e, gaps)
}

// unexplainedNow replaces what a run said of files that nothing explains by what is left of them
// after the owner's word. The books of a device's folders are on its machine.
func unexplainedNow(ctx context.Context, store *storage.Store, e *storage.Evidence, gaps []run.KnownGap) ([]run.KnownGap, error) {
	i := slices.IndexFunc(gaps, func(g run.KnownGap) bool { return g.Kind == run.KindUnexplained })
	if i < 0 {
		return gaps, nil
	}
	b, _, err := store.Books(ctx, e.ConnectionID)
	if err != nil || b.BegunMS == 0 {
		return gaps, err
	}
	if now := run.Unexplained(&b); now != nil {
		gaps[i] = *now
		return gaps, nil
	}
	return slices.Delete(gaps, i, i+1), nil
}

// mostNamedMissing is how many files or records a Missing names.
const mostNamedMissing = 3

// Missing is one thing that a connection lacks, and what mends it.
type Missing struct {
	Stream string     `json:"stream,omitempty"` // "": the whole connection
	Reason string     `json:"reason"`
	Count  int64      `json:"count"`
	Says   string     `json:"says,omitempty"`    // the connector's or the service's own words: see health.Saying
	By     string     `json:"said_by,omitempty"` // SaidByProvider if Says is the provider's own sentence, else ""
	Names  []string   `json:"names,omitempty"`   // the first files or records that it is about
	More   int64      `json:"more,omitempty"`    // how many it does not name
	Remedy abi.Remedy `json:"remedy"`
	// From is when a run first asks for it again; nil: the next one does.
	From *time.Time `json:"from,omitempty"`
	// Again: two runs in a row or more met it unchanged.
	Again bool `json:"again,omitempty"`
	// Noted: it was told for information alone, and the connection is whole beside it.
	Noted bool `json:"noted,omitempty"`
	// Files: it is files of the connection's folders, of which its owner may say that they may stay as they are.
	Files bool `json:"files,omitempty"`
	// Settled: its owner has said of each of these files that it may stay as it is.
	Settled bool `json:"settled,omitempty"`
}

// SaidByProvider marks words that are the provider's own.
const SaidByProvider = "provider"

// missingOf returns what a connection lacks and what mends each part: what the whole last run
// failed over, what it left out, and the details that are still to fetch.
func missingOf(ctx context.Context, store *storage.Store, e *storage.Evidence, left []run.KnownGap) ([]Missing, error) {
	var all []Missing
	failed, err := failedRun(ctx, store, e)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		all = append(all, *failed)
	}
	for i := range left {
		all = append(all, leftMissing(&left[i], e.Facts))
	}
	details, err := missingDetails(ctx, store, e)
	return append(all, details...), err
}

// failedRun returns what the last run failed over; nil: it did not fail, or its streams say it.
func failedRun(ctx context.Context, store *storage.Store, e *storage.Evidence) (*Missing, error) {
	settled := e.Facts.Failure()
	if settled == nil {
		return nil, nil
	}
	r, err := store.Run(ctx, settled.ID)
	if err != nil || r.Error == nil || r.Error.Code == string(abi.ReasonStreamCollectionFailed) {
		return nil, err
	}
	m := &Missing{Reason: r.Error.Code, Count: 1, Says: health.Saying(r.Error.Message), Remedy: abi.RemedyOf(abi.Reason(r.Reason), r.Error.RecoveryHint)}
	if again := e.Facts.FailsAgain(); again && m.Remedy == abi.RemedyTime || health.CredentialShaped(health.Normalise(settled.Reason)) {
		m.Remedy, m.Again = abi.RemedyOwner, again
	}
	return m, nil
}

// leftMissing is what a run left out.
func leftMissing(g *run.KnownGap, of *stored.Facts) Missing {
	m := Missing{Stream: g.Stream, Reason: g.Reason, Count: max(g.Count, 1), Says: health.Saying(g.Message), Remedy: abi.RemedyOf(abi.Reason(g.Reason), g.RecoveryHint)}
	names, total := g.Named()
	m.Names = names[:min(len(names), mostNamedMissing)]
	m.More = total - int64(len(m.Names))
	mark := health.SaidMark(g.Message, g.Kind, g.Stream, g.Reason, strconv.FormatInt(g.Count, 10), string(g.Diagnostics))
	kept := health.KnownGap{Severity: health.Word(g.Severity), Reason: health.Word(g.Reason), RecoveryAction: health.Word(g.RecoveryHint)}
	m.Again = m.Remedy == abi.RemedyTime && kept.Weighs() && !abi.Reason(g.Reason).GoesOn() &&
		slices.ContainsFunc(of.KnownGaps, func(s health.KnownGap) bool { return s.Stays() && s.Mark == mark })
	if m.Again || m.Reason == nothingFound {
		m.Remedy = abi.RemedyOwner
	}
	m.Settled = of.Settles(g.Reason)
	m.Noted = m.Settled || g.Severity == informational && m.Reason != nothingFound
	m.Files = m.NotUnderstood() || of.Amiss(g.Reason)
	return m
}

// missingDetails returns the details that are still to fetch, by stream and reason.
func missingDetails(ctx context.Context, store *storage.Store, e *storage.Evidence) ([]Missing, error) {
	streams := make([]string, len(e.Facts.Gaps.Streams))
	for i := range e.Facts.Gaps.Streams {
		streams[i] = e.Facts.Gaps.Streams[i].Stream
	}
	details, err := store.MissingDetails(ctx, e.ConnectionID, streams)
	if err != nil {
		return nil, err
	}
	all := make([]Missing, len(details))
	for i := range details {
		c := &details[i]
		m := Missing{
			Stream: c.Stream, Reason: c.Reason, Count: c.Count, Remedy: abi.RemedyOf(abi.Reason(c.Reason), ""),
			Names: c.Keys, More: c.Count - int64(len(c.Keys)),
		}
		if m.Says = health.Saying(c.Said); m.Says != "" {
			m.By = SaidByProvider
		}
		if class := abi.Reason(c.Class); class == abi.ReasonKeepsFailing || class == abi.ReasonGone {
			m.Reason, m.Remedy, m.Again = c.Class, abi.RemedyOf(class, ""), class == abi.ReasonKeepsFailing
		}
		if !c.NextAttempt.IsZero() {
			from := c.NextAttempt.UTC()
			m.From = &from
		}
		all[i] = m
	}
	return all, nil
}

// ByProvider reports whether what is said of it is the provider's own sentence.
func (m *Missing) ByProvider() bool { return m.By == SaidByProvider }

// Gone reports whether it is gone or forbidden at the provider.
func (m *Missing) Gone() bool { return m.Reason == string(abi.ReasonGone) }

// Subject names what is missing by the code of its reason, or in a sentence where no reason is to be
// looked up.
func (m *Missing) Subject() string {
	switch {
	case !m.Gone():
		return m.Reason
	case m.Count == 1:
		return "1 item is gone or forbidden at the provider"
	}
	return strconv.FormatInt(m.Count, 10) + " items are gone or forbidden at the provider"
}

// Mends says what mends it, for its owner, at a moment.
func (m *Missing) Mends(now time.Time) string {
	switch {
	case m.Settled:
		return "nothing: you said that its files may stay as they are"
	case m.Reason == nothingFound:
		return "you: put there what it is to collect, or show it where that is; a run collects it"
	case m.NotUnderstood():
		return "you: say what to do with them, or take a connector that reads them"
	case m.Again && m.Waits(now):
		return "you: runs in a row met it unchanged; it is asked for again from " + health.At(*m.From).Clock(health.At(now))
	case m.Again:
		return "you: two runs in a row met it unchanged, so another run alone is not known to mend it"
	case m.Reason == string(abi.ReasonDeletionsWithheld) && m.Remedy == abi.RemedyOwner:
		return "you: if they are gone, run it once with --full-refresh --accept-deletions; else put back what they come from, and a run goes on"
	case m.Remedy == abi.RemedyOwner:
		return "you: once it is put right, a run collects it"
	case m.Remedy == abi.RemedyTime && m.Waits(now):
		return "time: a run asks for it again from " + health.At(*m.From).Clock(health.At(now))
	case m.Remedy == abi.RemedyTime:
		return "time: the next run asks for it again"
	case m.Gone():
		return "nothing: gone or forbidden at the provider, which refused it in two runs; no run asks for it again by itself"
	case m.Remedy == abi.RemedyNever && m.Says != "":
		return "what its words say; where they name nothing to do, nothing has to be done"
	case m.Remedy == abi.RemedyNever:
		return "nothing that this host does: it is damaged at its source, not to be had, or not for this connector"
	}
	return "a new version of the connector"
}

const (
	nothingFound  = "nothing_found" // the reason of a connector that found nothing where it looks
	informational = "informational" // the severity of a gap that is no lack
)

// NotUnderstood reports whether it is files of which nothing says what they are: their owner can
// say that they are not for this connector.
func (m *Missing) NotUnderstood() bool { return m.Reason == run.ReasonUnexplained }

// Waits reports whether no run asks for it yet.
func (m *Missing) Waits(now time.Time) bool { return m.From != nil && m.From.After(now) }

// saidOf returns what the provider said when it refused the last run as a whole; nil where it said
// nothing, or that is not what keeps the connection from being collected.
func saidOf(ctx context.Context, store *storage.Store, e *storage.Evidence) (*verdict.Said, error) {
	failed := e.Facts.Failure()
	if failed == nil {
		return nil, nil
	}
	r, err := store.Run(ctx, failed.ID)
	if err != nil || r.Error == nil {
		return nil, err
	}
	if text := health.ProviderWords(r.Error.Message); text != "" {
		return &verdict.Said{Text: text, RunID: failed.ID}, nil
	}
	return nil, nil
}
