package owner

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
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
	// NotCollected is what the last run left out, in its own words; where the verdict
	// leads to it, only with the detail.
	NotCollected []run.KnownGap `json:"not_collected,omitempty"`
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
	if detail || len(b.RequiredActions) == 0 || !LeftByRun(&b.RequiredActions[0]) { // else the verdict says so, and leads to it
		if h.NotCollected, err = leftOut(ctx, store, e); err != nil {
			return nil, err
		}
	}
	if !detail {
		h.Verdict.Detail = nil
	} else {
		h.Refusal, err = RefusalOf(ctx, store, e.ConnectionID)
	}
	return h, err
}

// LeftByRun reports whether a run's own words say what is to be put right.
func LeftByRun(a *view.Action) bool { return a.CTACode == "cta_put_right_gap" }

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
	return gaps, nil
}
