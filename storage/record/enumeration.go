package record

import (
	"database/sql"
	"errors"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Why an enumeration sweeps nothing.
const (
	// SweepLost: the store has no marks of the enumeration that the run goes on with.
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
// it. A run goes on with an earlier one only if the store has that one open: with another
// one's marks, what the earlier run has met would be missing. One that it cannot go on with
// sweeps nothing, and neither does a narrowed one; the marks of the current one stay.
func StartEnumeration(t *db.Tx, to *Target, how Opening, runID string) error {
	stream := to.StreamID(how.Stream)
	o := &opened{stream: stream}
	if how.Part != "" {
		o.index = stream
	}
	var row enumerationRow
	if err := row.read(t, stream, how.Part); err != nil {
		return err
	}
	o.id = row.id
	switch {
	case how.Narrowed:
		o.refused = SweepNarrowed
	case how.BegunBy == "":
		if err := forgetOtherForm(t, stream, how.Part); err != nil {
			return err
		}
		o.generation = row.generation + 1
		_, err := t.DB.ExecContext(t.Ctx, "UPDATE enumerations SET generation = ?, begun_by = ?, open = 1, spoiled = '' WHERE id = ?", o.generation, runID, o.id)
		if err != nil {
			return err
		}
	case row.open && row.begunBy == how.BegunBy:
		o.generation = row.generation
	default:
		o.refused = SweepLost
	}
	if to.opened == nil {
		to.opened, to.active = map[Enumeration]*opened{}, map[int64]*opened{}
	}
	to.opened[how.Enumeration], to.active[stream] = o, o
	return nil
}

// enumerationRow is a row of enumerations.
type enumerationRow struct {
	id, generation int64
	begunBy        string
	open           bool
}

// read reads the row of a part, and makes it when there is none.
func (r *enumerationRow) read(t *db.Tx, stream int64, part string) error {
	var open int64
	err := t.DB.QueryRowContext(t.Ctx, "SELECT id, generation, begun_by, open FROM enumerations WHERE stream_id = ? AND part = ?", stream, part).
		Scan(&r.id, &r.generation, &r.begunBy, &open)
	r.open = open != 0
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if err := t.DB.QueryRowContext(t.Ctx, "SELECT coalesce(max(id), 0) + 1 FROM enumerations").Scan(&r.id); err != nil {
		return err
	}
	_, err = t.DB.ExecContext(t.Ctx, "INSERT INTO enumerations (id, stream_id, part, generation, begun_by, open, spoiled) VALUES (?, ?, ?, 0, '', 0, '')",
		r.id, stream, part)
	return err
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
	_, err = t.DB.ExecContext(t.Ctx, "DELETE FROM marks WHERE enumeration_id IN (SELECT id FROM enumerations WHERE stream_id = ? AND "+other+")", stream)
	if err != nil {
		return err
	}
	_, err = t.DB.ExecContext(t.Ctx, "DELETE FROM enumerations WHERE stream_id = ? AND "+other, stream)
	return err
}

// LeaveEnumeration ends the marking: the stream's later records are met in no enumeration.
func LeaveEnumeration(to *Target, e Enumeration) {
	stream := to.StreamID(e.Stream)
	if o := to.active[stream]; o != nil && o == to.opened[e] {
		delete(to.active, stream)
	}
}

// SpoilEnumeration notes that the stream's open enumeration misses something, so that it
// sweeps nothing.
func SpoilEnumeration(t *db.Tx, to *Target, stream int64, why string) error {
	o := to.active[stream]
	if o == nil || o.refused != "" {
		return nil
	}
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE enumerations SET spoiled = ? WHERE id = ? AND spoiled = ''", why, o.id)
	return err
}

// ForgetEnumerations closes every enumeration of a connection without a sweep. The owner has
// given the connection another source, and the marks belong to the one before.
func ForgetEnumerations(t *db.Tx, connectionID string) error {
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE enumerations SET open = 0 WHERE open = 1 AND stream_id IN (SELECT id FROM streams WHERE connection_id = ?)", connectionID)
	return err
}
