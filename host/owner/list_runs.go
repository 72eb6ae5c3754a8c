package owner

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// Refusal is a run that the host refused before it began, in the refusal's own words,
// as the store has let them in: one for all of a connection and a reason.
type Refusal struct {
	Connection string    `json:"connection,omitempty"` // where there may be several
	Since      time.Time `json:"since"`                // the first time
	At         time.Time `json:"at"`                   // the last time
	Code       string    `json:"code"`
	Message    string    `json:"message,omitempty"`
	Times      int64     `json:"times"`
}

// Runs are past runs, and beside them the refusals that connections wait behind, and the starts that
// were refused meanwhile for a reason that says nothing of a connection.
type Runs struct {
	Refused []Refusal `json:"refused,omitempty"`
	Runs    []*Run    `json:"runs"`
}

// Runs lists runs, the newest first: those of a connection, or of all of them where its
// name is "". limit 0 lists all runs.
func (o *Owner) Runs(ctx context.Context, connection string, limit int) (*Runs, error) {
	return o.RunsBefore(ctx, connection, "", limit)
}

// RunsBefore is Runs of those that began before the run of an id; "": all of them.
func (o *Owner) RunsBefore(ctx context.Context, connection, before string, limit int) (*Runs, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	id := ""
	if connection != "" {
		conn, err := FindConnection(ctx, store, connection)
		if err != nil {
			return nil, err
		}
		id = conn.ID
	}
	runs, err := store.RunsBefore(ctx, connection, before, limit)
	if err != nil {
		return nil, err
	}
	refused, err := store.Refusals(ctx, id)
	if err != nil {
		return nil, err
	}
	away, err := o.turnedAway(ctx, store, id, before, runs, limit)
	if err != nil {
		return nil, err
	}
	names, err := namesOf(ctx, store, runs, refused, away)
	if err != nil {
		return nil, err
	}
	all := &Runs{Runs: make([]*Run, len(runs))}
	for i := range runs {
		all.Runs[i] = RunOf(&runs[i])
		all.Runs[i].Connection = names[runs[i].ConnectionID]
	}
	for i := range refused {
		r := refusalOf(&refused[i])
		r.Connection = names[refused[i].ConnectionID]
		all.Refused = append(all.Refused, r)
	}
	for i := range away {
		a := &away[i]
		all.Refused = append(all.Refused, Refusal{names[a.ConnectionID], a.FirstAt, a.LastAt, a.Reason, a.Says, a.Count})
	}
	slices.SortFunc(all.Refused, func(a, b Refusal) int {
		return cmp.Or(strings.Compare(a.Connection, b.Connection), b.At.Compare(a.At), strings.Compare(a.Code, b.Code))
	})
	return all, nil
}

// namesOf returns the names of the connections of some runs and refusals, by their ids.
func namesOf(ctx context.Context, store *storage.Store, runs []storage.Run, refused []storage.Dispatch, away []storage.TurnedAway) (map[string]string, error) {
	ids := map[string]bool{}
	for i := range runs {
		ids[runs[i].ConnectionID] = true
	}
	for i := range refused {
		ids[refused[i].ConnectionID] = true
	}
	for i := range away {
		ids[away[i].ConnectionID] = true
	}
	return NamesByID(ctx, store, slices.AppendSeq([]string{}, maps.Keys(ids)))
}

// RunIDs returns the ids of the newest runs, and "last".
func (o *Owner) RunIDs(ctx context.Context) ([]string, error) {
	const most = 100
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	runs, err := store.Runs(ctx, "", most)
	ids := []string{"last"}
	for i := range runs {
		ids = append(ids, runs[i].ID)
	}
	return ids, err
}

func refusalOf(d *storage.Dispatch) Refusal {
	return Refusal{Since: d.FirstAt, At: d.LastAt, Code: d.Reason, Message: d.Says, Times: d.Count}
}

// RefusalOf returns the refusal that a connection waits behind; nil: none.
func RefusalOf(ctx context.Context, store *storage.Store, connectionID string) (*Refusal, error) {
	all, err := store.Refusals(ctx, connectionID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	r := refusalOf(&all[0])
	return &r, nil
}

// NamesByID returns the names of the connections with some ids, by id. If ids is nil, it returns all names.
func NamesByID(ctx context.Context, store *storage.Store, ids []string) (map[string]string, error) {
	all, err := store.ConnectionKeys(ctx, storage.ConnectionKeys{IDs: ids})
	names := make(map[string]string, len(all))
	for i := range all {
		names[all[i].ID] = all[i].Name
	}
	return names, err
}
