package owner

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Run returns a run with its events, gaps and checkpoints. id is the run's id, the
// beginning of it, or "last".
func (o *Owner) Run(ctx context.Context, id string) (*Run, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	r, err := findRun(ctx, store, id)
	if err != nil {
		return nil, err
	}
	v := RunOf(r)
	events, err := store.Events(ctx, r.ID, 0, 0)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		v.Events = append(v.Events, Event{e.Seq, e.At, e.Type, e.Stream, json.RawMessage(e.Data)})
	}
	if v.Coverage, err = store.Coverage(ctx, r.ID); err != nil {
		return nil, err
	}
	names, err := NamesByID(ctx, store, []string{r.ConnectionID})
	if err != nil {
		return nil, err
	}
	v.Connection = names[r.ConnectionID]
	v.Gaps, err = gapsOf(ctx, store, r)
	return v, err
}

// gapsOf returns the details that a run found missing or dealt with last.
func gapsOf(ctx context.Context, store *storage.Store, r *storage.Run) (out []Gap, err error) {
	q := storage.GapQuery{RunID: r.ID, Limit: 500}
	for {
		page, err := store.Gaps(ctx, r.ConnectionID, q)
		if abi.CodeOf(err) == abi.CodeConnectionUnknown {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range page {
			g := &page[i]
			out = append(out, Gap{g.Stream, g.RecordKey, g.Reason, g.Class, g.Status, g.AttemptCount, health.Saying(g.Said())})
		}
		if len(page) < q.Limit {
			return out, nil
		}
		q.After = &page[len(page)-1]
	}
}

// findRun finds a run by its id, the beginning of its id, or "last".
func findRun(ctx context.Context, store *storage.Store, id string) (*storage.Run, error) {
	if id == "last" {
		runs, err := store.Runs(ctx, "", 1)
		if err != nil {
			return nil, err
		}
		if len(runs) == 0 {
			return nil, abi.NewError(abi.CodeRunUnknown, "there are no runs yet", "make one: pdpp-host run CONNECTOR")
		}
		return &runs[0], nil
	}
	r, err := store.Run(ctx, id)
	if abi.CodeOf(err) != abi.CodeRunUnknown {
		return r, err
	}
	runs, listErr := store.Runs(ctx, "", 0)
	if listErr != nil {
		return nil, listErr
	}
	var found []storage.Run
	for _, r := range runs {
		if len(id) >= 4 && strings.HasPrefix(r.ID, id) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 1:
		return &found[0], nil
	case 0:
		return nil, abi.NewError(abi.CodeRunUnknown, fmt.Sprintf("there is no run %q", id), "pdpp-host runs list shows them").Wrap(err)
	default:
		return nil, abi.NewError(abi.CodeRunUnknown, fmt.Sprintf("%d runs begin with %q", len(found), id), "write more of the id")
	}
}
