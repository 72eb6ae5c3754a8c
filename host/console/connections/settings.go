package connections

import (
	"net/http"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
)

// settings are the folders and options of a connection, as its form shows them. Options come
// without their values: one may be a secret.
type settings struct {
	conn  *owner.Connection
	offer *connectors.Offer
	err   *abi.Error // why a change was refused
	proof string
}

// baseURL is the option that every connector of a service has.
const baseURL = "base_url"

func showSettings(v *site.Visit) error { return form(v, http.StatusOK, nil) }

func form(v *site.Visit, status int, refusal error) error {
	conn, err := v.Owner.Connection(v.Context(), name(v))
	if err != nil {
		return err
	}
	f, err := connectors.Look(v.Context(), v.Owner, connectors.OfferQuery{Connection: conn.Name})
	if err != nil {
		return err
	}
	return v.Show(status, words.FoldersTitle, ui.Overview, settingsPage(&settings{conn, f, site.Typed(refusal), v.Proof()}))
}

// changeSettings changes what the form names: an empty folder is forgotten, and so is an
// option whose box says so; an empty option stays as it is.
func changeSettings(v *site.Visit) error {
	conn, err := v.Owner.Connection(v.Context(), name(v))
	if err != nil {
		return err
	}
	c := owner.ConnectionChange{Connection: conn.Name, Roots: map[string]string{}, Options: map[string]string{}, AcceptRoot: v.R.PostFormValue("means") != "", If: v.R.PostFormValue("if")}
	for field, values := range v.R.PostForm {
		kind, key, _ := strings.Cut(field, ":")
		value := strings.TrimSpace(values[0])
		_, has := conn.Roots[key]
		switch {
		case kind == "root" && value == "" && has, kind == "forget" && slices.Contains(conn.Options, key):
			c.Unset = append(c.Unset, key)
		case kind == "root" && value != "" && value != conn.Roots[key]:
			c.Roots[key] = value
		case kind == "option" && value != "" && v.R.PostFormValue("forget:"+key) == "":
			c.Options[key] = value
		}
	}
	done, err := v.Owner.ChangeConnection(v.Context(), c)
	if site.OfForm(err) {
		return form(v, site.StatusOf(err), err)
	}
	if err != nil {
		return err
	}
	return v.Done(ui.ConnectionPath(done.Connection.Name), words.SettingsKept)
}

// optionNames are those that the form offers.
func (s *settings) optionNames() []string {
	var names []string
	for _, o := range s.offer.Options {
		names = append(names, o.Name)
	}
	for _, o := range append(slices.Clone(s.conn.Options), baseURL) {
		if !slices.Contains(names, o) && (o != baseURL || len(s.offer.Hosts) > 0) {
			names = append(names, o)
		}
	}
	return names
}

func (s *settings) description(option string) string {
	for _, o := range s.offer.Options {
		if o.Name == option {
			return o.Description
		}
	}
	return ""
}
