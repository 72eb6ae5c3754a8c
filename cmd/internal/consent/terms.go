package consent

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/modules"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/roots"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/files"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Terms are everything that a module gets when its owner accepts it.
type Terms struct {
	Module *modules.Described
	Asks   []modules.Ask // accepted together
	ByName []modules.Ask // accepted one by one or not at all
}

// Of returns the terms of a module that would read the folders in roots.
func Of(d *modules.Described, roots []files.Root) *Terms {
	t := &Terms{Module: d}
	for _, a := range modules.Asks(d.Manifest) {
		switch {
		case a.ByName == (storage.AcceptedItem{}):
			t.Asks = append(t.Asks, a)
		case !t.has(a.ByName): // a slot may send several fields
			t.ByName = append(t.ByName, a)
		}
	}
	for _, r := range roots {
		t.Asks = append(t.Asks, modules.Ask{What: "folder", Value: r.Path + " (" + r.Origin + ")"})
		for _, place := range r.Secrets {
			item := storage.AcceptedItem{Kind: storage.AcceptFolder, Name: place}
			if !t.has(item) {
				t.ByName = append(t.ByName, modules.Ask{
					What: "folder", Value: place + ", where other programs keep secrets, with the folder " + r.Path, ByName: item,
				})
			}
		}
	}
	return t
}

// With returns the terms of a module with the folders that r would let it read; given
// are those that its owner chose. A folder that is not there is not shown; a run says so.
func With(d *modules.Described, r *roots.Resolver, given map[string]string) (*Terms, error) {
	if _, reads := d.Manifest.Requirements.Bindings[abi.BindingFilesystem]; !reads {
		return Of(d, nil), nil
	}
	found, err := r.Look(d.Manifest, given)
	if err != nil && abi.CodeOf(err) != abi.CodeRootMissing {
		return nil, err
	}
	return Of(d, found), nil
}

func (t *Terms) has(item storage.AcceptedItem) bool {
	return slices.ContainsFunc(t.ByName, func(a modules.Ask) bool { return a.ByName == item })
}

// Allow reads what an owner accepts by name, each as KIND=NAME, and refuses what the
// module does not ask for. A place of secrets may be named before the folder is. home
// is the owner's home folder, "" when it is unknown.
func (t *Terms) Allow(typed []string, home string) ([]storage.AcceptedItem, error) {
	var items []storage.AcceptedItem
	for _, text := range typed {
		if rest, ok := strings.CutPrefix(text, storage.AcceptFolder+"="+home+"/"); ok && home != "" { // some shells expand the ~ there
			text = storage.AcceptFolder + "=~/" + rest
		}
		kind, name, _ := strings.Cut(text, "=")
		item := storage.AcceptedItem{Kind: kind, Name: name}
		if !t.has(item) && (kind != storage.AcceptFolder || !files.IsSecretPlace(name)) {
			hint := "it asks for nothing that is accepted by name"
			if len(t.ByName) > 0 {
				var all []string
				for _, a := range t.ByName {
					all = append(all, "--allow "+a.ByName.String())
				}
				hint = "it asks for: " + strings.Join(all, ", ")
			}
			return nil, syntax.Usage(fmt.Sprintf("the connector does not ask for %q", text), hint)
		}
		items = append(items, item)
	}
	return items, nil
}

// Left are the things that the module asks for by name and that are not among items.
func (t *Terms) Left(items []storage.AcceptedItem) (left []modules.Ask) {
	for _, a := range t.ByName {
		if !slices.Contains(items, a.ByName) {
			left = append(left, a)
		}
	}
	return left
}

// Write shows the terms to an owner.
func (t *Terms) Write(w io.Writer, tilde func(string) string) {
	line := func(name, value string) { fmt.Fprintf(w, "  %-10s %s\n", name, output.Clean(value)) }
	m, f := t.Module.Manifest, t.Module.File
	fmt.Fprintf(w, "%s asks for:\n", output.Clean(m.ConnectorKey+" "+m.Version))
	line("module", tilde(f.Path)+"  sha256 "+f.SHA256)
	for _, a := range t.Asks {
		line(a.What, a.Value)
	}
	for _, a := range t.ByName {
		line("by name", a.What+" "+a.Value)
	}
}
