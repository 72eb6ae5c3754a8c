package run

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/storage"
)

// gapPageBytes bounds one page of leased gaps: a transport batch (PB-D11), and
// no limit of what a run recovers (PB-A10).
const gapPageBytes = 256 << 10

// maxLocator bounds what a gap says of where its record is, and with it a page:
// a page that a worker cannot hold would fail this run and every later one.
const maxLocator = 32 << 10

func keyTexts(raws []abi.Raw) ([]string, error) {
	out := make([]string, len(raws))
	for i, raw := range raws {
		text, err := boundary.KeyText(raw)
		if err != nil {
			return nil, err
		}
		out[i] = text
	}
	return out, nil
}

// onGap stores a record whose detail is still to fetch, or the outcome of one
// that was served to the guest.
func (c *collection) onGap(payload []byte) error {
	msg, err := c.gate.Gap(payload)
	if err != nil {
		return err
	}
	if err := c.flush(); err != nil {
		return err
	}
	ctx := context.WithoutCancel(c.ctx)
	switch g := msg.(type) {
	case *abi.DetailGap:
		return c.onNewGap(ctx, g)
	case *abi.GapOutcome:
		return c.onOutcome(ctx, g)
	}
	return nil
}

// onOutcome keeps what became of a served gap. An attempt is settled by what the
// gap is about: its recovery, or a DETAIL_GAP of the same record.
func (c *collection) onOutcome(ctx context.Context, g *abi.GapOutcome) error {
	of, served := c.served.byID[g.GapID]
	if !served {
		return notServed(g.GapID)
	}
	var recovered bool
	var err error
	if g.Type == abi.TypeGapRecovered {
		delete(c.attempted, of)
		recovered, err = c.recover(ctx, g, of)
	} else {
		c.attempted[of] = true
		err = c.writer.GapOutcome(ctx, g.GapID, g.LeaseID, false)
	}
	if isCode(err, abi.CodeGapInvalid) {
		return err // the guest's mistake, not the store's
	}
	if c.stored(err) != nil || !recovered {
		return err
	}
	c.filledGap(of)
	return c.event("run.detail_gap_recovered", of.stream, map[string]any{"gap_id": g.GapID})
}

func (c *collection) onNewGap(ctx context.Context, g *abi.DetailGap) error {
	key, err := boundary.KeyText(g.RecordKey)
	if err != nil {
		return err
	}
	if c.ledger.laneClosed(g.Stream) {
		return abi.NewError(abi.CodeCoverageInvalid, "a DETAIL_GAP of stream "+g.Stream+" after its DETAIL_COVERAGE",
			"emit DETAIL_COVERAGE after the lane's last record or gap")
	}
	if len(g.DetailLocator) > maxLocator || len(g.ListCursor) > maxLocator {
		return abi.NewError(abi.CodeGapInvalid, fmt.Sprintf("a DETAIL_GAP's detail_locator or list_cursor is above %d KiB", maxLocator>>10),
			"keep what is needed to find the record again")
	}
	class := ""
	var lastError []byte
	if g.LastError != nil {
		class = clip(g.LastError.Class, maxGapText)
		g.LastError.Class = class
		if len(g.LastError.NetworkPressure) > maxGapDiagnostics {
			g.LastError.NetworkPressure = nil
		}
		if lastError, err = json.Marshal(g.LastError); err != nil {
			return err
		}
	}
	if err := c.keep(len(key)); err != nil {
		return err
	}
	of := c.served.find(gapOf{g.Stream, g.ParentStream, key}, c.manifest)
	delete(c.attempted, of)
	gap := storage.Gap{
		Stream: of.stream, ParentStream: of.parent, RecordKey: key, Reason: g.Reason, Class: class,
		DetailLocator: g.DetailLocator, ListCursor: g.ListCursor, LastError: lastError,
	}
	c.pressed(&gap)
	if served, ok := c.served.left[of]; ok {
		c.again(&gap, served)
	}
	news, err := json.Marshal(map[string]any{"key": key, "reason": gap.Reason, "class": gap.Class})
	if err != nil {
		return err
	}
	if err := c.stored(c.writer.PutGap(ctx, gap, storage.Event{Type: "run.detail_gap_recorded", Stream: g.Stream, Data: news})); err != nil {
		return err
	}
	c.ledger.addGap(of.stream, of.parent, key)
	c.foundGap(of, Gap{Stream: g.Stream, Key: key, Reason: gap.Reason, Class: gap.Class})
	return nil
}

// leftBefore is what earlier runs left of a served gap, and why.
type leftBefore struct {
	failures      int64 // of earlier runs
	reason, class string
	lastError     []byte
}

// The wait before a detail that failed again is tried once more; it doubles with
// each failure.
const (
	failedGapWait    = time.Hour
	longestFailedGap = 24 * time.Hour
)

// again completes a gap that an earlier run left and this one could not fill. What
// failed by itself keeps its reason where a bound of this run cut the attempt, which is
// no failure, and otherwise waits longer each time, so that it is in the way of nothing
// else. Pressure of the provider has a cooldown of its own.
func (c *collection) again(g *storage.Gap, served leftBefore) {
	class := abi.Reason(g.Class)
	switch {
	case served.reason != string(abi.ReasonTemporaryUnavailable):
	case class.Has(abi.BudgetExhaustion), class.Has(abi.RunCap):
		g.Reason, g.Class, g.LastError = served.reason, served.class, served.lastError
	case g.Reason == string(abi.ReasonTemporaryUnavailable):
		wait := failedGapWait
		g.Failures = served.failures + 1
		for n := served.failures; n > 0 && wait < longestFailedGap; n-- {
			wait *= 2
		}
		g.Class, g.NextAttemptAfter = string(abi.ReasonKeepsFailing), c.deps.Now().Add(min(wait, longestFailedGap))
	}
}

// servedGap is one gap as the guest gets it.
type servedGap struct {
	GapID         string  `json:"gap_id"`
	LeaseID       string  `json:"lease_id"`
	Stream        string  `json:"stream"`
	ParentStream  string  `json:"parent_stream,omitempty"`
	RecordKey     string  `json:"record_key"`
	Reason        string  `json:"reason"`
	Class         string  `json:"class,omitempty"`
	DetailLocator abi.Raw `json:"detail_locator"`
	ListCursor    abi.Raw `json:"list_cursor,omitempty"`
}

// gapsAnswer answers the gaps operation with the next page. An empty page says
// that none is left (PB-D11).
func (c *collection) gapsAnswer(ctx context.Context) ([]byte, error) {
	gaps, err := c.leaseGaps(ctx)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Gaps []abi.Raw `json:"detail_gaps"`
	}{gaps})
}

// leaseGaps leases the next page of pending gaps to this run: the first rides
// START, the guest asks for the others while it works. A run that is told to
// leave records out gets none: its guest would fetch a detail, hold it back by
// the scope, and call the gap recovered.
func (c *collection) leaseGaps(ctx context.Context) ([]abi.Raw, error) {
	page := []abi.Raw{}
	if c.ledger.narrowed {
		return page, nil
	}
	due := c.deps.Now()
	if c.force {
		due = due.AddDate(1, 0, 0)
	}
	leased, err := c.writer.LeaseGaps(ctx, storage.GapPage{Streams: streamNames(c.scope), MaxBytes: gapPageBytes, Due: due})
	if err != nil {
		return nil, err
	}
	for _, g := range leased {
		raw, err := json.Marshal(servedGap{
			GapID: g.ID, LeaseID: g.LeaseID, Stream: g.Stream, ParentStream: g.ParentStream, RecordKey: g.RecordKey,
			Reason: g.Reason, Class: g.Class, DetailLocator: g.DetailLocator, ListCursor: g.ListCursor,
		})
		if err != nil {
			return nil, err
		}
		page = append(page, raw)
		c.ledger.addGap(g.Stream, g.ParentStream, g.RecordKey)
		c.served.add(g.ID, gapOf{g.Stream, g.ParentStream, g.RecordKey}, leftBefore{g.Failures, g.Reason, g.Class, g.LastError})
	}
	return page, nil
}
