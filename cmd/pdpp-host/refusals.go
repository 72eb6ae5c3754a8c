package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/storage"
)

// refusalView is a run that the host refused before it began, in the refusal's own
// words, as the store has let them in.
type refusalView struct {
	Connection string    `json:"connection,omitempty"` // where there may be several
	At         time.Time `json:"at"`                   // the last time
	Code       string    `json:"code"`
	Message    string    `json:"message,omitempty"`
	Times      int64     `json:"times"` // in a row
}

func viewRefusal(d *storage.Dispatch) refusalView {
	return refusalView{At: d.LastAt, Code: d.Reason, Message: d.Says, Times: d.Count}
}

// text is the refusal in one line.
func (v *refusalView) text() string {
	text := output.Timestamp(v.At) + "  "
	if v.Message != "" {
		text += v.Message + "   "
	}
	text += "[" + v.Code + "]"
	if v.Times > 1 {
		text += fmt.Sprintf(", %d times", v.Times)
	}
	return output.Clean(text)
}

// refusalOf returns the refusal that a connection waits behind; nil: none.
func refusalOf(ctx context.Context, store *storage.Store, connectionID string) (*refusalView, error) {
	all, err := store.Refusals(ctx, connectionID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	v := viewRefusal(&all[0])
	return &v, nil
}

// refusals returns the refusals that connections wait behind, of the one with that
// id or, where it is "", of all of them.
func refusals(ctx context.Context, store *storage.Store, connectionID string, names map[string]string) ([]refusalView, error) {
	all, err := store.Refusals(ctx, connectionID)
	if err != nil {
		return nil, err
	}
	views := make([]refusalView, len(all))
	for i := range all {
		views[i] = viewRefusal(&all[i])
		views[i].Connection = names[all[i].ConnectionID]
	}
	slices.SortFunc(views, func(a, b refusalView) int { return strings.Compare(a.Connection, b.Connection) })
	return views, nil
}

// writeRefusals lists what is no run, since none began.
func writeRefusals(w io.Writer, refused []refusalView) {
	for i := range refused {
		fmt.Fprintf(w, "not begun: %s  %s\n", output.Clean(refused[i].Connection), refused[i].text())
	}
}
