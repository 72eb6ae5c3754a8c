package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/run/internal/ledger"
	"github.com/pdpp-host/pdpp-host/storage"
)

// gapPageBytes bounds one page of leased gaps: a transport batch (PB-D11), and
// no limit on how many gaps a run recovers (PB-A10).
const gapPageBytes = 256 << 10

// maxLocator bounds a gap's locator of its record, and with it a page: a page that a
// worker cannot hold would fail this run and every later one.
const maxLocator = 32 << 10

// gaps has the details that are still to fetch: those that earlier runs left and this
// run was served, and those that this run leaves.
type gaps struct {
	*journal

	ledger     *ledger.Ledger
	network    *network
	enumerated *enumerations
	manifest   *abi.Manifest
	streams    []string // in scope
	force      bool     // serve gaps that are not due yet

	served    ledger.Served
	gone      map[ledger.Gap]bool            // given up by earlier runs: no record of them came so far
	refused   map[string]map[ledger.Gap]bool // by stream: refused by this run as by the one before
	attempted map[ledger.Gap]bool            // gaps attempted and without an outcome
	backlogs  map[ledger.Gap]bool            // backlogs that are counted in total
	found     []Gap                          // the first gaps that this run leaves
	of        map[string]int64               // how many those are, listed or not, by stream
}

func newGaps(j *journal, p *plan, l *ledger.Ledger) *gaps {
	return &gaps{
		journal: j, ledger: l, network: p.network, manifest: p.manifest, streams: streamNames(p.scope), force: p.request.Force,
		served: ledger.NewServed(), gone: map[ledger.Gap]bool{}, refused: map[string]map[ledger.Gap]bool{}, attempted: map[ledger.Gap]bool{}, backlogs: map[ledger.Gap]bool{}, of: map[string]int64{},
	}
}

// take stores a record whose detail is still to fetch, or the outcome of a gap that
// was served to the guest.
func (g *gaps) take(msg any) error {
	switch m := msg.(type) {
	case *abi.DetailGap:
		return g.takeGap(m)
	case *abi.GapOutcome:
		return g.takeOutcome(m)
	}
	return nil
}

// takeOutcome stores what became of a served gap. The next message about the same
// record settles an attempt: its recovery, or a DETAIL_GAP.
func (g *gaps) takeOutcome(msg *abi.GapOutcome) error {
	of, served := g.served.ByID(msg.GapID)
	if !served {
		return notServed(msg.GapID)
	}
	var recovered bool
	var err error
	if msg.Type == abi.TypeGapRecovered {
		delete(g.attempted, of)
		recovered, err = g.recover(msg, of)
	} else {
		g.attempted[of] = true
		err = g.writer.GapOutcome(g.lasting(), msg.GapID, msg.LeaseID, false)
	}
	if isCode(err, abi.CodeGapInvalid) {
		return err // the guest's mistake, not the store's
	}
	if g.stored(err) != nil || !recovered {
		return err
	}
	g.discount(of)
	return g.event("run.detail_gap_recovered", of.Stream, map[string]any{"gap_id": msg.GapID})
}

// takeGap stores a gap that this run leaves.
func (g *gaps) takeGap(msg *abi.DetailGap) error {
	key, err := boundary.KeyText(msg.RecordKey)
	if err != nil {
		return err
	}
	if g.ledger.LaneClosed(msg.Stream) {
		return abi.NewError(abi.CodeCoverageInvalid, "a DETAIL_GAP of stream "+msg.Stream+" after its DETAIL_COVERAGE",
			"emit DETAIL_COVERAGE after the lane's last record or gap")
	}
	if len(msg.DetailLocator) > maxLocator || len(msg.ListCursor) > maxLocator {
		return abi.NewError(abi.CodeGapInvalid, fmt.Sprintf("a DETAIL_GAP's detail_locator or list_cursor is above %d KiB", maxLocator>>10),
			"keep only the fields that find the record again")
	}
	class := ""
	var lastError []byte
	if msg.LastError != nil {
		class = clip(msg.LastError.Class, maxGapText)
		msg.LastError.Class, msg.LastError.Said = class, oneLine(msg.LastError.Said)
		if len(msg.LastError.NetworkPressure) > maxGapDiagnostics {
			msg.LastError.NetworkPressure = nil
		}
		if lastError, err = json.Marshal(msg.LastError); err != nil {
			return err
		}
	}
	if err := g.chargeMemory(len(key)); err != nil {
		return err
	}
	of := g.served.Find(ledger.Gap{Stream: msg.Stream, Parent: msg.ParentStream, Key: key}, g.manifest)
	delete(g.attempted, of)
	gap := storage.Gap{
		Stream: of.Stream, ParentStream: of.Parent, RecordKey: key, Reason: msg.Reason, Class: class,
		DetailLocator: msg.DetailLocator, ListCursor: msg.ListCursor, LastError: lastError,
	}
	gap.NextAttemptAfter = g.network.pressureEnds(abi.Reason(gap.Reason))
	if left, ok := g.served.Left(of); ok {
		g.completeRepeated(&gap, left)
		if refuses(left.LastError) && refuses(lastError) && gap.Class == string(abi.ReasonKeepsFailing) {
			if err := g.chargeMemory(len(key)); err != nil {
				return err
			}
			if g.refused[of.Stream] == nil {
				g.refused[of.Stream] = map[ledger.Gap]bool{}
			}
			g.refused[of.Stream][of] = true
		}
	}
	g.network.countPressed(abi.Reason(msg.Reason), gap.Reason != msg.Reason)
	news, err := json.Marshal(map[string]any{"key": key, "reason": gap.Reason, "class": gap.Class})
	if err != nil {
		return err
	}
	if err := g.stored(g.writer.PutGap(g.lasting(), gap, storage.Event{Type: "run.detail_gap_recorded", Stream: msg.Stream, Data: news})); err != nil {
		return err
	}
	g.ledger.AddGap(of)
	if err := g.enumerated.deferred(of, g.fits(msg)); err != nil {
		return err
	}
	g.count(of, Gap{Stream: msg.Stream, Key: key, Reason: gap.Reason, Class: gap.Class})
	return nil
}

// fits reports whether a gap's key has the form of its stream's.
func (g *gaps) fits(msg *abi.DetailGap) bool {
	for i := range g.manifest.Streams {
		if s := &g.manifest.Streams[i]; s.Name == msg.Stream {
			return boundary.FitsKey(msg.RecordKey, s.PrimaryKey)
		}
	}
	return false
}

// The wait before a detail that failed again is tried once more; it doubles with
// each failure.
const (
	failedGapWait    = time.Hour
	longestFailedGap = 24 * time.Hour
)

// completeRepeated completes a gap that an earlier run left and this one could not fill. A
// detail that failed by itself keeps its reason where a bound of this run cut the
// attempt, which is no failure, and otherwise waits longer each time, so that it delays
// nothing else. The provider's pressure has a cooldown of its own; but a provider that
// answers 503 to the same detail in two runs, and names no moment, says that about the
// detail: without this, one detail would cool the whole connection down for good.
func (g *gaps) completeRepeated(gap *storage.Gap, left ledger.LeftBefore) {
	class, reason, before := abi.Reason(gap.Class), abi.Reason(gap.Reason), abi.Reason(left.Reason)
	if reason == abi.ReasonUpstreamPressure && gap.NextAttemptAfter.IsZero() {
		reason = abi.ReasonTemporaryUnavailable
	}
	switch {
	case before != abi.ReasonTemporaryUnavailable && before != abi.ReasonUpstreamPressure:
	case before == abi.ReasonTemporaryUnavailable && (class.Has(abi.BudgetExhaustion) || class.Has(abi.RunCap)):
		gap.Reason, gap.Class, gap.LastError = left.Reason, left.Class, left.LastError
	case before == abi.ReasonTemporaryUnavailable && left.Class == string(abi.ReasonGone) && refuses(gap.LastError):
		gap.Class, gap.Failures = left.Class, left.Failures+1
	case reason == abi.ReasonTemporaryUnavailable:
		wait := failedGapWait
		gap.Reason, gap.Failures = string(reason), left.Failures+1
		for n := left.Failures; n > 0 && wait < longestFailedGap; n-- {
			wait *= 2
		}
		gap.Class, gap.NextAttemptAfter = string(abi.ReasonKeepsFailing), g.now().Add(min(wait, longestFailedGap))
	}
}

// count counts a gap for the result, and lists it while there is room. A backlog is
// reported again while it is fetched, and is one gap, listed as it was reported last.
func (g *gaps) count(of ledger.Gap, gap Gap) {
	if g.backlogs[of] {
		if i := slices.IndexFunc(g.found, func(listed Gap) bool { return listed.Stream == of.Stream && listed.Key == of.Key }); i >= 0 {
			g.found[i] = gap
		}
		return
	}
	if of.Backlog() {
		g.backlogs[of] = true
	}
	g.of[of.Stream]++
	if len(g.found) < maxResultDetailGaps {
		g.found = append(g.found, gap)
	}
}

// total returns how many gaps this run leaves.
func (g *gaps) total() (n int64) {
	for _, of := range g.of {
		n += of
	}
	return n
}

// discount takes a backlog out of the result again: all of it was fetched.
func (g *gaps) discount(of ledger.Gap) {
	if !g.backlogs[of] {
		return
	}
	delete(g.backlogs, of)
	g.of[of.Stream]--
	g.found = slices.DeleteFunc(g.found, func(listed Gap) bool { return listed.Stream == of.Stream && listed.Key == of.Key })
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

// answer answers the gaps operation with the next page. An empty page says that no
// gap is left (PB-D11).
func (g *gaps) answer(ctx context.Context) ([]byte, error) {
	page, err := g.lease(ctx)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Gaps []abi.Raw `json:"detail_gaps"`
	}{page})
}

// lease leases the next page of pending gaps to this run: the first rides START, the
// guest asks for the others while it works. A narrowed run gets none: its guest would
// fetch a detail, the gate would hold it back by the scope, and the guest would call
// the gap recovered.
func (g *gaps) lease(ctx context.Context) ([]abi.Raw, error) {
	page := []abi.Raw{}
	if g.ledger.Narrowed() {
		return page, nil
	}
	due := g.now()
	if g.force {
		due = due.AddDate(1, 0, 0)
	}
	leased, err := g.writer.LeaseGaps(ctx, storage.GapPage{Streams: g.streams, MaxBytes: gapPageBytes, Due: due, GivenUp: g.force})
	if err != nil {
		return nil, err
	}
	for _, gap := range leased {
		raw, err := json.Marshal(servedGap{
			GapID: gap.ID, LeaseID: gap.LeaseID, Stream: gap.Stream, ParentStream: gap.ParentStream, RecordKey: gap.RecordKey,
			Reason: gap.Reason, Class: gap.Class, DetailLocator: gap.DetailLocator, ListCursor: gap.ListCursor,
		})
		if err != nil {
			return nil, err
		}
		page = append(page, raw)
		of := ledger.Gap{Stream: gap.Stream, Parent: gap.ParentStream, Key: gap.RecordKey}
		g.ledger.AddGap(of)
		g.served.Add(gap.ID, of, leftBefore(&gap))
	}
	return page, nil
}

func leftBefore(g *storage.Gap) ledger.LeftBefore {
	return ledger.LeftBefore{ID: g.ID, Failures: g.Failures, Reason: g.Reason, Class: g.Class, LastError: g.LastError}
}

// know learns which items earlier runs have given up. The guest is not served them; a list that
// names one of them again may bring it back.
func (g *gaps) know(ctx context.Context) error {
	all, err := g.writer.GivenUp(ctx, g.streams)
	for i := range all {
		of := ledger.Gap{Stream: all[i].Stream, Parent: all[i].ParentStream, Key: all[i].RecordKey}
		g.gone[of] = true
		g.served.Add(all[i].ID, of, leftBefore(&all[i]))
	}
	return err
}

// returned stores that items which were given up are there again, since a good record of each
// came. It comes before a cursor that covers those records.
func (g *gaps) returned() error {
	for of := range g.gone {
		if g.served.Last(of) != ledger.GoodArrival {
			continue
		}
		delete(g.gone, of)
		left, _ := g.served.Left(of)
		if err := g.stored(g.writer.GapOutcome(g.lasting(), left.ID, "", true)); err != nil {
			return err
		}
		if err := g.event("run.detail_gap_recovered", of.Stream, map[string]any{"gap_id": left.ID}); err != nil {
			return err
		}
	}
	return nil
}

// mostRefusedAlone is up to how many refused items of a stream, of which the run got no record at
// all, are taken for items that are gone. With more of them the account may be what is refused.
const mostRefusedAlone = 4

// givenUpAtOnce bounds the gaps of one transaction.
const givenUpAtOnce = 250

// settle stores at the end of the run what became of the items that the provider refuses: those
// that came back, and those that two runs in a row were refused, which are given up. Where the run
// got nothing else of their stream either, they stay the owner's.
func (g *gaps) settle() error {
	if err := g.returned(); err != nil {
		return err
	}
	for stream, refused := range g.refused {
		ids, keys := make([]string, 0, len(refused)), map[string]bool{}
		for of := range refused {
			if left, _ := g.served.Left(of); g.served.Last(of) != ledger.GoodArrival {
				ids, keys[of.Key] = append(ids, left.ID), true
			}
		}
		slices.Sort(ids)
		alone := g.ledger.Delivers(stream)
		if !alone && len(ids) <= mostRefusedAlone {
			holds, err := g.writer.Holds(g.lasting(), stream)
			if err := g.stored(err); err != nil {
				return err
			}
			alone = holds
		}
		if !alone {
			continue
		}
		for part := range slices.Chunk(ids, givenUpAtOnce) {
			if err := g.stored(g.writer.GiveUp(g.lasting(), part...)); err != nil {
				return err
			}
		}
		for i := range g.found {
			if listed := &g.found[i]; listed.Stream == stream && keys[listed.Key] {
				listed.Class = string(abi.ReasonGone)
			}
		}
	}
	return nil
}

// refuses reports whether a gap's last error is a refusal of the item itself.
func refuses(lastError []byte) bool {
	var e abi.GapError
	return len(lastError) > 0 && json.Unmarshal(lastError, &e) == nil && e.HTTPStatus != nil && abi.RefusesItem(*e.HTTPStatus)
}

// oneLine cuts a provider's sentence to one line of at most abi.MaxSaid characters.
func oneLine(said string) string {
	line := []rune(strings.Join(strings.FieldsFunc(said, func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsPrint(c) }), " "))
	return string(line[:min(len(line), abi.MaxSaid)])
}
