package record

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// weighed is a sweep that was weighed, and what it would bury.
type weighed struct {
	Swept

	o      *opened // nil: the store does not have it
	g      *gone   // nil: it is refused for another reason than how many would go
	asked  bool    // they go with the owner's word, or as several runs found
	answer answer  // what is kept of the runs that found too many gone
}

// removal counts what it would bury.
func (w *weighed) removal() removal {
	if w.asked {
		return removal{asked: w.Gone}
	}
	return removal{unasked: w.Gone}
}

// WeighSweeps says what sweeps would do together. It writes nothing.
func WeighSweeps(t *db.Tx, to *Target, sweeps []Sweep) (found []Swept, err error) {
	all, err := weighAll(t, to, sweeps)
	for i := range all {
		found = append(found, all[i].Swept)
	}
	return found, err
}

// weighAll weighs each list by itself and then all lists of a stream together.
func weighAll(t *db.Tx, to *Target, sweeps []Sweep) ([]weighed, error) {
	all, err := weighEach(t, to, sweeps, nil)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	// Anew, even where it is one list: what it would have left, it holds.
	if too := tooManyTogether(t, to, all); len(too) > 0 {
		return weighEach(t, to, sweeps, too)
	}
	return all, nil
}

// weighEach weighs sweeps in their order. Of the streams in together too many records would go,
// so that each list of theirs needs the word that one by itself needs.
func weighEach(t *db.Tx, to *Target, sweeps []Sweep, together map[int64]bool) (all []weighed, err error) {
	before := &leavers{at: map[int64]int{}}
	for _, s := range sweeps {
		w, err := weigh(t, to, s, leaving{before, len(before.parts)}, together)
		if err != nil {
			return nil, err
		}
		if w.g != nil && w.Refused == "" && w.o.part {
			before.add(w.o.id, w.g.met)
		}
		all = append(all, w)
	}
	return all, nil
}

// weigh weighs one sweep behind those of other parts.
func weigh(t *db.Tx, to *Target, s Sweep, before leaving, together map[int64]bool) (w weighed, err error) {
	w.Enumeration, w.o = s.Enumeration, to.opened[s.Enumeration]
	o := w.o
	if o == nil {
		w.Refused = SweepLost
		return w, nil
	}
	w.answer = o.answer
	if w.Refused = o.refused; w.Refused != "" {
		return w, nil
	}
	err = t.DB.QueryRowContext(t.Ctx, "SELECT spoiled FROM enumerations WHERE id = ?", o.id).Scan(&w.Refused)
	if err != nil || w.Refused != "" {
		return w, err
	}
	if w.g, err = goneKeys(t, to, o, before); err != nil {
		return w, err
	}
	w.Gone, w.Held, w.answer = w.g.count, max(o.held, w.g.count), answer{}
	asks := together[o.stream] || tooMany(w.Gone, w.Held) || o.answer.digest == w.g.digest // which was asked before
	if w.asked = s.Accepted; w.asked || w.Gone == 0 || !asks {
		return w, nil
	}
	again := o.answer.again(w.g.digest, o.at)
	if w.asked = again.count >= SweepAnswers; !w.asked {
		w.Refused, w.Answers, w.answer = SweepTooMany, again.count, again
	}
	return w, nil
}

// goneKeys looks up what a sweep would bury, or has it from before when neither the stream
// nor what was met has moved.
func goneKeys(t *db.Tx, to *Target, o *opened, before leaving) (*gone, error) {
	g := &gone{leaving: before}
	var err error
	if g.met, err = readMet(t, o); err != nil {
		return nil, err
	}
	if g.seq, err = lastChange(t, to, o.stream); err != nil {
		return nil, err
	}
	if o.gone != nil && o.gone.met == g.met && o.gone.seq == g.seq && o.gone.leaving.equal(g.leaving) {
		return o.gone, nil
	}
	digest := sha256.New()
	for after := ""; ; {
		keys, err := missing(t, o, g.met, g.leaving, after, sweepPage)
		if err != nil {
			return nil, err
		}
		if g.count == 0 {
			g.first = keys
		}
		g.count += int64(len(keys))
		for _, key := range keys {
			_, _ = digest.Write(append([]byte(key), 0)) // no key has a NUL
		}
		if len(keys) < sweepPage {
			break
		}
		after = keys[len(keys)-1]
	}
	g.digest = hex.EncodeToString(digest.Sum(nil))
	t.AfterCommit(func() { o.gone = g })
	return g, nil
}

// lastChange returns the change sequence of a stream's last change.
func lastChange(t *db.Tx, to *Target, stream int64) (seq int64, err error) {
	c, err := to.tally(t, stream)
	if err != nil {
		return 0, err
	}
	err = t.DB.QueryRowContext(t.Ctx, "SELECT last_seq FROM streams WHERE id = ?", stream).Scan(&seq)
	return max(seq, c.lastSeq), err
}
