package connectors

import (
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

func showTerms(v *site.Visit) error {
	name, err := nameOf(v)
	if err != nil {
		return err
	}
	connection := v.R.URL.Query().Get("connection")
	t, err := connectors.Terms(v.Context(), v.Owner, connectors.Acceptance{Module: name, Connection: connection})
	if err != nil {
		return err
	}
	changes, err := changesOf(v, name, connection, t)
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.AcceptTitle, ui.Connectors, termsPage(name, connection, t, changes, v.Proof()))
}

// changesOf are the differences from the module that a connection has accepted, where one
// has: those of the first such connection, since all of them ask the same now.
func changesOf(v *site.Visit, name, connection string, t *modules.Terms) ([]modules.Change, error) {
	rows, err := connectors.Verify(v.Context(), v.Owner, connectors.Verification{Module: name, Connection: connection})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].State == connectors.ModuleChanged && rows[i].Found == t.Module.File.SHA256 {
			return rows[i].Changes, nil
		}
	}
	return nil, nil
}

// accept accepts the module that the page showed, by its hash, and no other.
func accept(v *site.Visit) error {
	name, err := nameOf(v)
	if err != nil {
		return err
	}
	if err := v.R.ParseForm(); err != nil {
		return abi.NewError(abi.CodeUsage, words.Broken, words.BrokenHint)
	}
	_, err = connectors.Accept(v.Context(), v.Owner, connectors.Acceptance{
		Module: name, Connection: v.R.PostFormValue("connection"), Allow: v.R.PostForm["allow"], Consent: connectors.ShownModule(v.R.PostFormValue("sha256")),
	})
	if err != nil {
		return err
	}
	return v.Done(address(name), words.ModuleAccepted)
}
