package add

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
)

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET /add", s.Signed(choose))
	mux.Handle("GET /add/{connector}", s.Signed(show))
	mux.Handle("POST /add/{connector}", s.Signed(add))
	mux.Handle("GET /connections/{name}/first", s.Signed(first))
	mux.Handle("POST /connections/{name}/first", s.Signed(signIn))
}

func choose(v *site.Visit) error {
	all, err := connectors.List(v.Context(), v.Owner)
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.AddTitle, ui.Overview, choosePage(all, v.Owner.Config.PluginsDir()))
}

// form is what somebody has typed, with what their connector would get.
type form struct {
	connector      string // as it is called in the plugins folder
	offer          *connectors.Offer
	name           string
	roots, options map[string]string
	again          bool       // what was shown before is no more so
	err            *abi.Error // why it was refused
	proof          string
}

// begin returns the form of the connector that the address names: one that is installed, and
// never a path to a module.
func begin(v *site.Visit) (*form, error) {
	name := v.R.PathValue("connector")
	if !connectors.ValidName(name) {
		return nil, site.NotFound()
	}
	return &form{connector: name}, nil
}

func show(v *site.Visit) error {
	f, err := begin(v)
	if err != nil {
		return err
	}
	return f.show(v, http.StatusOK)
}

func (f *form) show(v *site.Visit, status int) error {
	var err error
	f.proof = v.Proof()
	f.offer, err = connectors.Look(v.Context(), v.Owner, connectors.OfferQuery{Connector: f.connector, Roots: f.roots, Options: f.options})
	if err != nil && f.err == nil && len(f.roots) > 0 { // a folder that cannot be looked at
		f.err = site.Typed(err)
		f.offer, err = connectors.Look(v.Context(), v.Owner, connectors.OfferQuery{Connector: f.connector})
	}
	if err != nil {
		return err
	}
	if f.name == "" {
		if f.name, err = v.Owner.FreeName(v.Context(), f.offer.Connector); err != nil {
			return err
		}
	}
	return v.Show(status, words.AddTitle, ui.Overview, formPage(f))
}

// add makes a connection of what the form showed. Where its folders or its module give
// another thing than that, it is shown again.
func add(v *site.Visit) error {
	f, err := begin(v)
	if err != nil {
		return err
	}
	f.name = strings.TrimSpace(v.R.PostFormValue("name"))
	f.roots, f.options = typed(v.R.PostForm, "root:"), typed(v.R.PostForm, "option:")
	conn, err := v.Owner.AddConnection(v.Context(), owner.NewConnection{
		Name: f.name, Connector: f.connector, Roots: f.roots, Options: f.options,
		Consent: connectors.Shown{Mark: v.R.PostFormValue("mark"), Allow: v.R.PostForm["allow"], Home: v.Owner.Home},
	})
	switch {
	case abi.CodeOf(err) == connectors.CodeOtherTerms:
		f.again = true
		return f.show(v, http.StatusConflict)
	case site.OfForm(err):
		f.err = site.Typed(err)
		return f.show(v, site.StatusOf(err))
	case err != nil:
		return err
	}
	return v.Done(ui.ConnectionPath(conn.Name, "first"), words.ConnectionAdded)
}

// typed are the fields of a form whose names begin so, as far as something stands in them.
func typed(all url.Values, prefix string) map[string]string {
	out := map[string]string{}
	for field, values := range all {
		if name, ok := strings.CutPrefix(field, prefix); ok && strings.TrimSpace(values[0]) != "" {
			out[name] = strings.TrimSpace(values[0])
		}
	}
	return out
}
