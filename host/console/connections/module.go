package connections

import (
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
)

func showModule(v *site.Visit) error { return offer(v, http.StatusOK, false) }

// offer shows what a module asks for. again says that what was shown before is no more so.
func offer(v *site.Visit, status int, again bool) error {
	conn, err := v.Owner.StatusOf(v.Context(), name(v))
	if err != nil {
		return err
	}
	f, err := connectors.Look(v.Context(), v.Owner, connectors.OfferQuery{Connection: conn.Name})
	if err != nil {
		return err
	}
	return v.Show(status, words.ModuleTitle, ui.Overview, modulePage(conn.Name, f, again, v.Proof()))
}

// acceptModule is the owner's word for the module that the form showed, and for no other.
func acceptModule(v *site.Visit) error {
	conn, err := v.Owner.StatusOf(v.Context(), name(v))
	if err != nil {
		return err
	}
	allow := v.R.PostForm["allow"]
	_, err = connectors.Accept(v.Context(), v.Owner, connectors.Acceptance{
		Module: conn.Connector, Connection: conn.Name, Consent: connectors.Shown{Mark: v.R.PostFormValue("mark"), Allow: allow, Home: v.Owner.Home},
	})
	switch {
	case abi.CodeOf(err) == connectors.CodeOtherTerms:
		return offer(v, http.StatusConflict, true)
	case err != nil:
		return err
	}
	return v.Done(ui.ConnectionPath(conn.Name), words.ModuleAccepted)
}
