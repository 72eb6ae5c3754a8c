package connections

import (
	"errors"
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// errAsked ends a removal at its question.
var errAsked = errors.New("asked")

func showRemove(v *site.Visit) error { return askRemove(v, http.StatusOK, false) }

func askRemove(v *site.Visit, status int, mistyped bool) error {
	var gone owner.Removed
	_, err := v.Owner.RemoveConnection(v.Context(), name(v), func(r owner.Removed) error {
		gone = r
		return errAsked
	})
	if !errors.Is(err, errAsked) {
		return err
	}
	return v.Show(status, words.RemoveTitle, ui.Overview, removePage(&gone, mistyped, v.Proof()))
}

// remove deletes a connection whose name was typed once more.
func remove(v *site.Visit) error {
	_, err := v.Owner.RemoveConnection(v.Context(), name(v), func(r owner.Removed) error {
		if v.R.PostFormValue("again") != r.Connection {
			return errAsked
		}
		return nil
	})
	switch {
	case errors.Is(err, errAsked):
		return askRemove(v, site.StatusOf(abi.NewError(abi.CodeUsage, "", "")), true)
	case err != nil:
		return err
	}
	return v.Done(site.PathOverview, words.ConnectionRemoved)
}

// revoke lets nothing of a connection run until its owner accepts it again.
func revoke(v *site.Visit) error {
	conn, err := v.Owner.RevokeConnection(v.Context(), name(v))
	if err != nil {
		return err
	}
	return v.Done(ui.ConnectionPath(conn.Name), words.ConnectionRevoked)
}
