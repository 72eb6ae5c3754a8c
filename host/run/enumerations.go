package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run/internal/ledger"
	"github.com/pdpp-host/pdpp-host/storage"
)

// KindEnumeration is the kind of the known gap of an enumeration that swept nothing.
const KindEnumeration = "enumeration"

// missingPage is how many keys one answer of the operation missing has at most.
const missingPage = 500

// enumerations has what the connector enumerates. The marks are the store's.
type enumerations struct {
	*journal

	scope    abi.Scope
	ledger   *ledger.Ledger
	accepted bool // the owner's word that any number of records may go

	opened map[storage.Enumeration]bool // in this run; false: closed
	closed []storage.Sweep              // whole, and waiting for the cursor behind them
	ending map[string]int64             // records that the outcome deletes, by stream

	earlier map[string]*earlier // what the run left out so far, by stream
}

// earlier is what a run left out of a stream, which is there also for a list that begins later. The store knows of what was
// rejected.
type earlier struct {
	keys    []string // of gaps
	unnamed bool     // something whose key is not known
}

// mostEarlier bounds the keys that are kept of a stream. Further ones count as unnamed.
const mostEarlier = 10_000

func (e *enumerations) before(stream string) *earlier {
	was := e.earlier[stream]
	if was == nil {
		if e.earlier == nil {
			e.earlier = map[string]*earlier{}
		}
		was = &earlier{}
		e.earlier[stream] = was
	}
	return was
}

// recall has a list that begins know what the run has left out before.
func (e *enumerations) recall(of storage.Enumeration) error {
	was := e.earlier[of.Stream]
	if was == nil {
		return nil
	}
	if len(was.keys) > 0 {
		if err := e.stored(e.writer.RecallDetails(e.lasting(), of, slices.Clone(was.keys))); err != nil {
			return err
		}
	}
	if !was.unnamed {
		return nil
	}
	return e.stored(e.writer.SpoilEnumeration(e.lasting(), of.Stream))
}

// take handles an ENUMERATION.
func (e *enumerations) take(msg *abi.Enumeration) error {
	of := storage.Enumeration{Stream: msg.Stream, Part: msg.Part}
	open, known := e.opened[of]
	if msg.Status == abi.EnumerationOpen {
		return e.open(of, msg.BegunBy, open, known)
	}
	if !open {
		return notOpen(of)
	}
	if msg.Status == abi.EnumerationMet {
		keys, err := keyTexts(msg.Keys)
		if err != nil {
			return err
		}
		size := 0
		for _, key := range keys {
			size += len(key)
		}
		if err := e.waitForWriter(size); err != nil {
			return err
		}
		return e.stored(e.writer.Met(e.lasting(), of, keys))
	}
	e.opened[of] = false
	e.closed = append(e.closed, storage.Sweep{Enumeration: of, Accepted: e.accepted})
	return e.stored(e.writer.LeaveEnumeration(e.lasting(), of))
}

// open opens an enumeration, or has it go on meeting records after another one of its stream.
func (e *enumerations) open(of storage.Enumeration, begunBy string, open, known bool) error {
	if known && (!open || begunBy == "") {
		return abi.NewError(abi.CodeEnumerationInvalid, fmt.Sprintf("an ENUMERATION opens part %q of stream %s twice", of.Part, of.Stream),
			"begin an enumeration once in a run; to go on with it, name the run that began it")
	}
	if !known {
		if err := e.chargeMemory(len(of.Stream) + len(of.Part)); err != nil {
			return err
		}
	}
	e.opened[of] = true
	if err := e.stored(e.writer.Enumerate(e.lasting(), storage.Opening{Enumeration: of, BegunBy: begunBy, Narrowed: e.narrowed(of.Stream)})); err != nil || known {
		return err
	}
	return e.recall(of)
}

// narrowed reports whether the scope leaves out records of a stream, in this run or in all.
func (e *enumerations) narrowed(stream string) bool {
	i := slices.IndexFunc(e.scope.Streams, func(s abi.StreamScope) bool { return s.Name == stream })
	return i < 0 || len(e.scope.Streams[i].Resources) > 0 || e.scope.Streams[i].TimeRange != nil
}

func notOpen(of storage.Enumeration) error {
	return abi.NewError(abi.CodeEnumerationInvalid, fmt.Sprintf("part %q of stream %s is not being enumerated", of.Part, of.Stream),
		"open the enumeration first, and close it once")
}

// missing answers the operation missing.
func (e *enumerations) missing(ctx context.Context, r *abi.Missing) ([]byte, error) {
	of := storage.Enumeration{Stream: r.Stream, Part: r.Part}
	if !e.opened[of] {
		return nil, notOpen(of)
	}
	keys, err := e.writer.Missing(ctx, of, r.After, missingPage)
	if e.stored(err) != nil {
		return nil, err
	}
	return json.Marshal(map[string][]string{"keys": append([]string{}, keys...)})
}

// streams lists the streams of which an enumeration was opened, in order.
func (e *enumerations) streams() []string {
	var list []string
	for of := range e.opened {
		list = append(list, of.Stream)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// whole lists the streams each of whose enumerations was said to be whole, in order.
func (e *enumerations) whole() []string {
	return slices.DeleteFunc(e.streams(), func(stream string) bool {
		for of, open := range e.opened {
			if of.Stream == stream && open {
				return true
			}
		}
		return false
	})
}

// keptBack are the reasons with which the SDK reports a record that it did not send.
var keptBack = []string{"record_key_missing", "record_key_invalid", "record_too_large"}

// enumerates reports whether the run has opened an enumeration of a stream. Which of them are
// not swept yet, the store knows.
func (e *enumerations) enumerates(stream string) bool {
	for of := range e.opened {
		if of.Stream == stream {
			return true
		}
	}
	return false
}

// skipped has a stream's enumerations sweep nothing when a record of it was kept back.
func (e *enumerations) skipped(skip *abi.SkipResult) error {
	if !slices.Contains(keptBack, skip.Reason) {
		return nil
	}
	if len(skip.ResourceIDs) != 1 { // one that is named is among those that were rejected
		e.before(skip.Stream).unnamed = true
	}
	if !e.enumerates(skip.Stream) {
		return nil
	}
	return e.stored(e.writer.SpoilEnumeration(e.lasting(), skip.Stream))
}

// deferred marks what a gap of a stream stands for: it exists. One for many records, or whose
// key is not the key of any, says so of records that nobody can name.
func (e *enumerations) deferred(of ledger.Gap, fits bool) error {
	was := e.before(of.Stream)
	named := fits && !of.Backlog()
	if named && len(was.keys) < mostEarlier {
		if err := e.chargeMemory(len(of.Key)); err != nil {
			return err
		}
		was.keys = append(was.keys, of.Key)
	} else {
		was.unnamed = true
	}
	switch {
	case !e.enumerates(of.Stream):
		return nil
	case !named:
		return e.stored(e.writer.SpoilEnumeration(e.lasting(), of.Stream))
	default:
		return e.stored(e.writer.MetDetail(e.lasting(), of.Stream, of.Key))
	}
}

// behind returns the enumerations that a cursor closes, which are closed then.
func (e *enumerations) behind(cursor string) (sweeps []storage.Sweep) {
	e.closed = slices.DeleteFunc(e.closed, func(s storage.Sweep) bool {
		covers := e.ledger.Covers(cursor, s.Stream)
		if covers {
			sweeps = append(sweeps, s)
		}
		return covers
	})
	return sweeps
}

// atEnd returns the enumerations that the outcome closes, and adds the known gaps of those
// that sweep nothing. commit and withheld are the outcome's cursors. An enumeration whose
// cursor is withheld stays open: the next run goes on with it, or begins it anew.
func (e *enumerations) atEnd(ctx context.Context, commits bool, commit []string, withheld []ledger.Withheld) (sweeps []storage.Sweep, err error) {
	for _, cursor := range commit {
		sweeps = append(sweeps, e.behind(cursor)...)
	}
	for _, s := range e.closed {
		covered := slices.ContainsFunc(withheld, func(w ledger.Withheld) bool { return e.ledger.Covers(w.Stream, s.Stream) })
		if commits && !covered && e.ledger.Withhold(s.Stream) == "" {
			sweeps = append(sweeps, s)
		}
	}
	e.closed = nil
	found := e.writer.Swept()
	if len(sweeps) > 0 {
		weighed, err := e.writer.WeighSweeps(ctx, sweeps)
		if err != nil {
			return nil, err
		}
		found = append(found, weighed...)
		e.ending = map[string]int64{}
		for _, s := range weighed {
			if s.Refused == "" {
				e.ending[s.Stream] += s.Gone
			}
		}
	}
	for _, s := range together(found) {
		e.report(s)
	}
	return sweeps, nil
}

// together adds up the lists of a stream of which too many records are gone: its parts, and what
// several cursors have closed.
func together(found []storage.Swept) (all []storage.Swept) {
	at := map[string]int{}
	for _, s := range found {
		i, known := at[s.Stream]
		switch {
		case s.Refused != storage.SweepTooMany:
			all = append(all, s)
		case known:
			all[i].Gone, all[i].Held, all[i].Answers = all[i].Gone+s.Gone, all[i].Held+s.Held, min(all[i].Answers, s.Answers)
		default:
			at[s.Stream] = len(all)
			all = append(all, s)
		}
	}
	return all
}

// report adds the known gap of an enumeration that swept nothing. A narrowed run has none:
// its outcome says that it was narrowed.
func (e *enumerations) report(s storage.Swept) {
	gap := KnownGap{
		Kind: KindEnumeration, Reason: string(abi.ReasonDeletionsWithheld), Severity: severityInformational, Stream: s.Stream, RecoveryHint: "retry_by_runtime",
	}
	switch s.Refused {
	case "", storage.SweepNarrowed:
		return
	case storage.SweepTooMany:
		gap.Severity, gap.RecoveryHint = "actionable", "manual_action_required"
		gap.Message = fmt.Sprintf("%d of %d records are gone, too many to delete without your word: run once with --full-refresh --accept-deletions, or wait until %d runs, a day apart each, find the same (so far %d)",
			s.Gone, s.Held, storage.SweepAnswers, s.Answers)
	case storage.SweepRejected:
		gap.Message = "records were rejected, so none was deleted that is gone from the source"
	case storage.SweepUnnamed:
		gap.Message = "the connector left records out, so none was deleted that is gone from the source"
	default:
		gap.Message = "the list of the source was begun before something changed, so no record was deleted; the next whole list catches up"
	}
	e.known.add(gap)
}
