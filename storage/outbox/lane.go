package outbox

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	defaultBatchRecords = 1000
	defaultBatchBytes   = 1 << 20
)

// outboxStep is the migration that made lanes. A file before it holds none.
const outboxStep = 8

// lane is the Lane of a file.
type lane struct {
	Lane

	path string
}

// withDefaults returns the lane of the file at path, with its defaults.
func (l Lane) withDefaults(path string) (*lane, error) {
	if l.SourceInstanceID == "" || l.ConnectorID == "" {
		return nil, abi.NewError(CodeLaneMismatch, "a collector's file needs a source instance and a connector",
			"enroll the device, or name the profile to use")
	}
	out := &lane{l, path}
	out.MaxBatchRecords = cmp.Or(max(l.MaxBatchRecords, 0), defaultBatchRecords)
	out.MaxBatchBytes = cmp.Or(max(l.MaxBatchBytes, 0), defaultBatchBytes)
	return out, nil
}

// laneOf returns the lane whose outbox the file is, nil for a file without one.
func laneOf(ctx context.Context, q bun.IDB) (*laneRow, error) {
	row := &laneRow{ID: 1}
	err := q.NewSelect().Model(row).WherePK().Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return row, err
}

func noOutbox(path string) error {
	return mismatch(path, "the file is no collector's outbox", "name another file with --queue")
}

func mismatch(path, what, hint string) error {
	return abi.NewError(CodeLaneMismatch, what, hint).WithDetail(path)
}

// pathless returns a message without the paths in it. The lane's own is known as
// it is: it may hold spaces.
func (l *lane) pathless(text string) string {
	text = strings.ReplaceAll(text, l.path, removed)
	text = strings.ReplaceAll(text, filepath.Dir(l.path)+string(filepath.Separator), removed)
	return aPath.ReplaceAllString(text, "${1}"+removed)
}
