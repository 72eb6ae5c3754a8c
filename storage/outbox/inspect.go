package outbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// InspectLane reads whose outbox the file at path is and how it stands at now,
// and changes nothing: it makes no file, runs no migration and takes no lock that
// a run would wait for. A missing or empty file is storage.lane_missing, one of
// a host storage.lane_mismatch; other errors as of Open.
func InspectLane(ctx context.Context, path string, now time.Time) (LaneInfo, Counts, error) {
	full, err := inspectable(path)
	if err != nil {
		return LaneInfo{}, Counts{}, err
	}
	var info LaneInfo
	var counts Counts
	err = db.Inspect(ctx, full, func(q *bun.DB, applied int) (err error) {
		var lane *laneRow
		if applied >= outboxStep {
			lane, err = laneOf(ctx, q)
		}
		if err == nil && lane == nil {
			err = noOutbox(full)
		}
		if err == nil {
			counts, err = countedAt(ctx, q, db.Micros(now))
		}
		if err == nil {
			info, err = laneInfo(ctx, q, lane)
		}
		return err
	})
	return info, counts, err
}

func inspectable(path string) (string, error) {
	unavailable := func(err error) error {
		return abi.NewError(abi.CodeStoreUnavailable, "the outbox cannot be read", "check its path and its mode").WithDetail(path).Wrap(err)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", unavailable(err)
	}
	info, err := os.Stat(full)
	switch {
	case path == "", errors.Is(err, fs.ErrNotExist), err == nil && info.Mode().IsRegular() && info.Size() == 0:
		return "", abi.NewError(CodeLaneMissing, "there is no outbox yet", "run the collector once, or name its file with --queue").WithDetail(full)
	case err != nil:
		return "", unavailable(err)
	case !info.Mode().IsRegular():
		return "", unavailable(errors.New("not a regular file"))
	}
	return full, nil
}
