package modules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/files"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Terms are everything that a module gets when its owner accepts it.
type Terms struct {
	Module *Described
	Asks   []Ask // accepted together
	ByName []Ask // accepted one by one or not at all
}

// TermsOf returns the terms of a module that would read the folders in roots.
func TermsOf(d *Described, roots []files.Root) *Terms {
	t := &Terms{Module: d}
	for _, a := range Asks(d.Manifest) {
		switch {
		case a.ByName == (storage.AcceptedItem{}):
			t.Asks = append(t.Asks, a)
		case !t.has(a.ByName): // a slot may send several fields
			t.ByName = append(t.ByName, a)
		}
	}
	for _, r := range roots {
		t.Asks = append(t.Asks, Ask{What: "folder", Value: r.Path + " (" + r.Origin + ")"})
		for _, place := range r.Secrets {
			item := storage.AcceptedItem{Kind: storage.AcceptFolder, Name: place}
			if !t.has(item) {
				t.ByName = append(t.ByName, Ask{
					What: "folder", Value: place + ", where other programs keep secrets, with the folder " + r.Path, ByName: item,
				})
			}
		}
	}
	return t
}

// FolderLooker tells which folders a run would be granted, those that need the owner's
// word by name among them. It grants nothing.
type FolderLooker interface {
	Look(m *abi.Manifest, given map[string]string) ([]files.Root, error)
}

// TermsWith returns the terms of a module with the folders that r would let it read; given
// are those that its owner chose. A folder that is not there is not shown; a run says so.
func TermsWith(d *Described, r FolderLooker, given map[string]string) (*Terms, error) {
	if _, reads := d.Manifest.Requirements.Bindings[abi.BindingFilesystem]; !reads {
		return TermsOf(d, nil), nil
	}
	found, err := r.Look(d.Manifest, given)
	if err != nil && abi.CodeOf(err) != abi.CodeRootMissing {
		return nil, err
	}
	return TermsOf(d, found), nil
}

func (t *Terms) has(item storage.AcceptedItem) bool {
	return slices.ContainsFunc(t.ByName, func(a Ask) bool { return a.ByName == item })
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
			return nil, abi.NewError(abi.CodeUsage, fmt.Sprintf("the connector does not ask for %q", text), hint)
		}
		items = append(items, item)
	}
	return items, nil
}

// Left are the things that the module asks for by name and that are not among items.
func (t *Terms) Left(items []storage.AcceptedItem) (left []Ask) {
	for _, a := range t.ByName {
		if !slices.Contains(items, a.ByName) {
			left = append(left, a)
		}
	}
	return left
}
