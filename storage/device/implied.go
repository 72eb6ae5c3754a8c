package device

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// impliedPrefix begins the id of a run that its device did not name: a public collector names
// none until it commits. A lane has at most one, since a delivery without a run's id belongs
// to the lane's run that goes on.
const impliedPrefix = "implied."

// currentRun is the run of a lane that goes on; "" for none.
func currentRun(t *db.Tx, src *tables.SourceJoined) (string, error) {
	var ids []string
	err := t.DB.NewSelect().Model((*tables.LeaseRow)(nil)).Column("run_id").
		Where("connection_id = ? AND holder = ? AND run_id <> ''", src.ConnectionID, tables.DeviceHolder(src.DeviceID)).Scan(t.Ctx, &ids)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[0], nil
}

// runOf is the id of the run that a delivery is of.
func runOf(t *db.Tx, src *tables.SourceJoined, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	current, err := currentRun(t, src)
	if err != nil || current != "" {
		return current, err
	}
	return impliedPrefix + t.NewID(), nil
}

// endingRun is the id of the run that a commit ends: the one that it names, unless
// nothing was delivered under that name and the lane's run has none.
func endingRun(t *db.Tx, src *tables.SourceJoined, named string) (string, error) {
	known, err := t.DB.NewSelect().Model((*tables.RunRow)(nil)).Where("run_id = ?", named).Exists(t.Ctx)
	if err != nil || known {
		return named, err
	}
	current, err := currentRun(t, src)
	if err != nil || !strings.HasPrefix(current, impliedPrefix) {
		return named, err
	}
	return current, nil
}

// deliveredStreams are the streams that records or cursors of a run came of.
func deliveredStreams(t *db.Tx, w *run.Writer) (streams []string, err error) {
	err = t.DB.NewRaw(`SELECT s.name FROM run_streams AS r JOIN streams AS s ON s.id = r.stream_id WHERE r.run_pk = ?
UNION SELECT stream FROM states WHERE connection_id = ? AND run_id = ? ORDER BY 1`, w.To.RunPK, w.To.ConnectionID, w.RunID()).Scan(t.Ctx, &streams)
	return streams, err
}

// withDelivered adds to the end of a run without a name the streams that were
// delivered in it.
func withDelivered(t *db.Tx, w *run.Writer, o *device.Outcome) error {
	if !strings.HasPrefix(w.RunID(), impliedPrefix) {
		return nil
	}
	delivered, err := deliveredStreams(t, w)
	if err != nil {
		return err
	}
	o.Streams = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(o.Streams), delivered...))))
	return nil
}
