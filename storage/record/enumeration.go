package record

import (
	"database/sql"
	"errors"
	"slices"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Why an enumeration sweeps nothing.
const (
	// SweepLost: the store does not have the enumeration open that the run goes on with.
	SweepLost = "lost"
	// SweepRejected: a record failed its schema meanwhile, so it exists and was not met.
	SweepRejected = "rejected"
	// SweepUnnamed: the connector left something out whose key is not known.
	SweepUnnamed = "unnamed"
	// SweepNarrowed: the run was told to leave records out.
	SweepNarrowed = "narrowed"
	// SweepTooMany: more would go than go without the owner's word.
	SweepTooMany = "too_many_gone"
)

// Opening is how a run opens an enumeration.
type Opening struct {
	Enumeration

	// BegunBy is the run that began the enumeration that this one goes on with; "": this
	// run begins one.
	BegunBy string
	// Narrowed: the run was told to leave records out, so that it can meet only some.
	Narrowed bool
}

// StartEnumeration opens an enumeration in a run: from now on the stream's records are met in
// it. A run goes on with an earlier one only if the store has that one open: in another
// one, what the earlier run has met would be missing. One that it cannot go on with sweeps
// nothing, and neither does a narrowed one; what they meet exists for the current one, too.
func StartEnumeration(t *db.Tx, to *Target, how Opening, runID string) error {
	stream := to.StreamID(how.Stream)
	o := &opened{stream: stream, part: how.Part != "", handed: to.HandOn != nil, at: t.Now}
	begunBy, open, err := o.read(t, how.Part)
	if err != nil {
		return err
	}
	if err := to.hold(t, o); err != nil {
		return err
	}
	switch {
	case how.Narrowed:
		o.refused = SweepNarrowed
	case how.BegunBy == "":
		if err := o.begin(t, to, how.Part, runID); err != nil {
			return err
		}
	case !open || begunBy != how.BegunBy:
		o.refused = SweepLost
	}
	if !how.Narrowed { // which closes nothing
		to.forgetOtherForm(o)
	}
	if to.opened == nil {
		to.opened, to.active = map[Enumeration]*opened{}, map[int64]*opened{}
	}
	to.opened[how.Enumeration], to.active[stream] = o, o
	return nil
}

// read reads the row of a part, and makes it when there is none.
func (o *opened) read(t *db.Tx, part string) (begunBy string, open bool, err error) {
	var isOpen int64
	const query = "SELECT id, begun_seq, begun_by, open, held, answer, answers, answered_us FROM enumerations WHERE stream_id = ? AND part = ?"
	err = t.DB.QueryRowContext(t.Ctx, query, o.stream, part).
		Scan(&o.id, &o.begunSeq, &begunBy, &isOpen, &o.held, &o.answer.digest, &o.answer.count, &o.answer.atUS)
	if !errors.Is(err, sql.ErrNoRows) {
		return begunBy, isOpen != 0, err
	}
	if err := t.DB.QueryRowContext(t.Ctx, "SELECT coalesce(max(id), 0) + 1 FROM enumerations").Scan(&o.id); err != nil {
		return "", false, err
	}
	_, err = t.DB.ExecContext(t.Ctx, "INSERT INTO enumerations (id, stream_id, part, generation, begun_by, open, spoiled) VALUES (?, ?, ?, 0, '', 0, '')",
		o.id, o.stream, part)
	return "", false, err
}

// begin begins the enumeration anew: nothing is met.
func (o *opened) begin(t *db.Tx, to *Target, part, runID string) error {
	if err := forgetOtherForm(t, o.stream, part); err != nil {
		return err
	}
	seq, err := OpenSequence(t)
	if err != nil {
		return err
	}
	o.begunSeq = seq.Last
	if o.handed { // nothing else moves the sequence
		seq.Last++
	}
	if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM met WHERE enumeration_id = ?", o.id); err != nil {
		return err
	}
	if o.held, err = o.count(t, to); err != nil {
		return err
	}
	_, err = t.DB.ExecContext(t.Ctx, "UPDATE enumerations SET begun_by = ?, begun_seq = ?, held = ?, open = 1, spoiled = '' WHERE id = ?",
		runID, o.begunSeq, o.held, o.id)
	if err != nil {
		return err
	}
	return o.recall(t, to)
}

// recall has what the run rejected of the stream so far be met: it is there.
func (o *opened) recall(t *db.Tx, to *Target) error {
	i := slices.IndexFunc(to.Streams, func(s Stream) bool { return s.ID == o.stream })
	if i >= 0 && len(to.Unlisted) > i && to.Unlisted[i] > 0 {
		return SpoilEnumeration(t, o.stream, SweepRejected)
	}
	rows, err := t.DB.QueryContext(t.Ctx, "SELECT key_sha256 FROM rejected_records WHERE stream_id = ? AND run_pk = ? ORDER BY key_sha256", o.stream, to.RunPK)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var m batchMarks
	for rows.Next() {
		var key []byte
		if err := rows.Scan(&key); err != nil {
			return err
		}
		m.hashes = append(m.hashes, key[:min(hashSize, len(key))]...)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	return m.write(t, o)
}

// hold has the run know how many records the stream had before it enumerated any of it.
func (to *Target) hold(t *db.Tx, o *opened) error {
	if _, known := to.held[o.stream]; known {
		return nil
	}
	n, err := (&opened{stream: o.stream, handed: o.handed}).count(t, to)
	if err != nil {
		return err
	}
	if to.held == nil {
		to.held = map[int64]int64{}
	}
	to.held[o.stream] = n
	return nil
}

// count counts the records that the store has of the stream, or of the part. Records that the run has added
// to the stream don't count.
func (o *opened) count(t *db.Tx, to *Target) (n int64, err error) {
	if _, err := OpenTallies(t, to); err != nil {
		return 0, err
	}
	switch {
	case o.part && o.handed:
		err = t.DB.QueryRowContext(t.Ctx, "SELECT count(*) FROM marks m JOIN delivered_keys r ON r.stream_id = m.stream_id AND r.key = m.key WHERE m.enumeration_id = ?", o.id).Scan(&n)
	case o.part:
		err = t.DB.QueryRowContext(t.Ctx, "SELECT count(*) FROM marks m JOIN records r ON r.stream_id = m.stream_id AND r.key = m.key WHERE m.enumeration_id = ? AND r.deleted = 0", o.id).Scan(&n)
	case o.handed:
		err = t.DB.QueryRowContext(t.Ctx, "SELECT count(*) FROM delivered_keys WHERE stream_id = ?", o.stream).Scan(&n)
	default:
		var c *Tally
		if c, err = to.tally(t, o.stream); err == nil {
			n = c.live
		}
	}
	if !o.part {
		n = min(n, to.start[o.stream])
	}
	return n, err
}

// forgetOtherForm forgets the stream's enumeration as a whole when one of a part begins, and
// the other way round: a stream is enumerated in one form, and the marks of a form that its
// connector has given up would protect records for ever.
func forgetOtherForm(t *db.Tx, stream int64, part string) error {
	other := "part <> ''"
	if part != "" {
		other = "part = ''"
	}
	var some bool
	err := t.DB.QueryRowContext(t.Ctx, "SELECT EXISTS (SELECT 1 FROM enumerations WHERE stream_id = ? AND "+other+")", stream).Scan(&some)
	if err != nil || !some {
		return err
	}
	for _, table := range []string{"marks", "met"} {
		_, err = t.DB.ExecContext(t.Ctx, "DELETE FROM "+table+" WHERE enumeration_id IN (SELECT id FROM enumerations WHERE stream_id = ? AND "+other+")", stream)
		if err != nil {
			return err
		}
	}
	_, err = t.DB.ExecContext(t.Ctx, "DELETE FROM enumerations WHERE stream_id = ? AND "+other, stream)
	return err
}

// forgetOtherForm has the run forget what it has opened of the other form of a list that it opens:
// what comes from now on is not met there, so that one of it that was closed is lost.
func (to *Target) forgetOtherForm(now *opened) {
	for e, o := range to.opened {
		if o.stream == now.stream && o.part != now.part {
			delete(to.opened, e)
		}
	}
}

// LeaveEnumeration ends the marking: the stream's later records are met in no enumeration of
// their own, see MarkBatch.
func LeaveEnumeration(to *Target, e Enumeration) {
	stream := to.StreamID(e.Stream)
	if o := to.active[stream]; o != nil && o == to.opened[e] {
		delete(to.active, stream)
	}
}

// unswept returns the enumerations of a stream that the run has opened, whether it has closed
// them or not, and whose cursors have not committed.
func (to *Target) unswept(stream int64) (all []*opened) {
	for _, o := range to.opened {
		if o.stream == stream {
			all = append(all, o)
		}
	}
	return all
}

// SpoilEnumeration notes that the stream's enumerations miss something, so that they sweep
// nothing: each that has begun and is not swept, in whichever run. Which part of the stream it
// belongs to, only the connector knows, and where its list has been closed already the
// cursor behind it has not moved.
func SpoilEnumeration(t *db.Tx, stream int64, why string) error {
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE enumerations SET spoiled = ? WHERE stream_id = ? AND open = 1 AND spoiled = ''", why, stream)
	return err
}

// ForgetEnumerations closes every enumeration of the connection without a sweep, also those that
// the run has open. The owner has given the connection another source, and the marks and answers
// belong to the one before.
func ForgetEnumerations(t *db.Tx, to *Target) error {
	for _, o := range to.opened {
		o.refused = SweepLost
	}
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE enumerations SET open = 0, answer = '', answers = 0, answered_us = 0 WHERE (open = 1 OR answers > 0) AND stream_id IN (SELECT id FROM streams WHERE connection_id = ?)", to.ConnectionID)
	return err
}
