package questions

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Query chooses questions. Its zero value chooses all of them.
type Query struct {
	Open       bool   // only those that wait for an answer
	Connection string // its name; "": any
	Before     string // only questions with a lower id; "": from the newest on
	Limit      int    // 0: all of them
}

// Page is some of the questions, the newest first.
type Page struct {
	Questions []Question `json:"questions"`
	Next      string     `json:"next,omitempty"` // Before of the next page; "": there is none
}

// List returns questions, the newest first.
func List(ctx context.Context, o *owner.Owner, q Query) (*Page, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	kept := storage.QuestionQuery{Open: q.Open, Before: q.Before, Limit: q.Limit}
	if q.Connection != "" {
		_, conn, err := o.Find(ctx, q.Connection)
		if err != nil {
			return nil, err
		}
		kept.ConnectionID = conn.ID
	}
	if q.Limit > 0 {
		kept.Limit++
	}
	all, err := store.Questions(ctx, kept, holder.Alive)
	if err != nil {
		return nil, err
	}
	page := &Page{Questions: []Question{}}
	for i := range all {
		if q.Limit > 0 && i == q.Limit {
			page.Next = all[i-1].ID
			break
		}
		page.Questions = append(page.Questions, shown(&all[i]))
	}
	return page, nil
}

// Show returns one question, by its id or, where it waits, by its connection's name.
func Show(ctx context.Context, o *owner.Owner, id string) (*Question, error) {
	_, q, err := find(ctx, o, id)
	if err != nil {
		return nil, err
	}
	out := shown(q)
	return &out, nil
}

// find returns the question of that id, or the only one that a connection of that name
// waits with.
func find(ctx context.Context, o *owner.Owner, id string) (*storage.Store, *storage.Question, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, nil, err
	}
	q, err := store.Question(ctx, id, holder.Alive)
	if abi.CodeOf(err) != CodeUnknown {
		return store, q, err
	}
	conn, _ := store.Connection(ctx, id)
	if conn == nil {
		return store, nil, err
	}
	open, oerr := store.Questions(ctx, storage.QuestionQuery{Open: true, ConnectionID: conn.ID}, holder.Alive)
	switch {
	case oerr != nil:
		return store, nil, oerr
	case len(open) == 1:
		return store, &open[0], nil
	}
	return store, nil, err
}
