package connectors

import (
	"net/http"
	"net/url"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
	"github.com/pdpp-host/pdpp-host/host/web"
)

const path = "/connectors"

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET "+path, s.Signed(func(v *site.Visit) error { return list(v, http.StatusOK, nil) }))
	mux.Handle("POST "+path+"/install", s.Signed(install))
	mux.Handle("GET "+path+"/of/{name}", s.Signed(show))
	mux.Handle("GET "+path+"/of/{name}/accept", s.Signed(showTerms))
	mux.Handle("POST "+path+"/of/{name}/accept", s.Signed(accept))
	mux.Handle("POST "+path+"/of/{name}/remove", s.Signed(remove))
}

// address is the page of a connector.
func address(name string) string { return path + "/of/" + url.PathEscape(name) }

// nameOf is the connector of a page's address: its name, and never a path to a module.
func nameOf(v *site.Visit) (string, error) {
	name := v.R.PathValue("name")
	if !connectors.ValidName(name) {
		return "", site.NotFound()
	}
	return name, nil
}

// list shows all connectors, with what an installation was refused for.
func list(v *site.Visit, status int, refusal error) error {
	all, err := connectors.List(v.Context(), v.Owner)
	if err != nil {
		return err
	}
	return v.Show(status, words.ConnectorsTitle, ui.Connectors, listPage(all, v.Proof(), refusal))
}

// install takes the module of an upload. It says beside the form why one is refused: that is
// about the file, and another one may do.
func install(v *site.Visit) error {
	u, err := v.Upload("module", v.Owner.Config.ModuleBytes())
	if err != nil {
		return list(v, web.Status(abi.CodeOf(err)), err)
	}
	i, err := connectors.Install(v.Context(), v.Owner, connectors.Installation{Module: u.File, Replace: u.Fields["replace"] == "yes"})
	switch {
	case err != nil && v.Context().Err() != nil:
		return err
	case err != nil:
		return list(v, web.Status(abi.CodeOf(err)), err)
	case i.Unchanged:
		return v.Done(address(i.Name), words.ModuleThere)
	}
	return v.Done(address(i.Name)+"/accept", words.ModuleInstalled)
}

func show(v *site.Visit) error {
	name, err := nameOf(v)
	if err != nil {
		return err
	}
	i, err := connectors.Inspect(v.Context(), v.Owner, name)
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, title(&i.Connector), ui.Connectors, connectorPage(i, v.Proof()))
}

func remove(v *site.Visit) error {
	name, err := nameOf(v)
	if err != nil {
		return err
	}
	if _, err := connectors.Remove(v.Context(), v.Owner, name, func(*connectors.Removed) error { return nil }); err != nil {
		return err
	}
	return v.Done(path, words.ModuleRemoved)
}

// title is what a connector is called.
func title(c *connectors.Connector) string { return ui.Or(ui.Safe(c.Title), c.Name) }
