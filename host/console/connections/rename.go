package connections

import (
	"net/http"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

func showName(v *site.Visit) error { return askName(v, http.StatusOK, nil) }

// askName shows the form. It needs no module: a device may run one that this host does not have.
func askName(v *site.Visit, status int, refusal error) error {
	conn, err := v.Owner.Connection(v.Context(), name(v))
	if err != nil {
		return err
	}
	return v.Show(status, words.RenameTitle, ui.Overview, renamePage(conn, site.Typed(refusal), v.Proof()))
}

func rename(v *site.Visit) error {
	done, err := v.Owner.ChangeConnection(v.Context(), owner.ConnectionChange{
		Connection: name(v), Name: strings.TrimSpace(v.R.PostFormValue("name")), If: v.R.PostFormValue("if"),
	})
	if site.OfForm(err) {
		return askName(v, site.StatusOf(err), err)
	}
	if err != nil {
		return err
	}
	return v.Done(ui.ConnectionPath(done.Connection.Name), words.ConnectionRenamed)
}
