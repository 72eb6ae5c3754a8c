package owner

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// ConnectionChange says what is to change about a connection's name, folders and options.
type ConnectionChange struct {
	Connection     string // its name
	Name           string // its new one; "": as before
	Roots, Options map[string]string
	Unset          []string // options and folders to forget
	AcceptRoot     bool     // another folder or address than its runs have used is meant
	If             string   // the revision that the change is made of; "": any
}

// CodeEdited says that something is not any more what a change was made of.
const CodeEdited = storage.CodeEdited

// edited refuses a change of something that is another one by now (OC-09.3).
func edited(what string) error {
	return abi.NewError(CodeEdited, what+" was changed meanwhile, and your change was not made", "look at it again, and repeat what is still meant")
}

// Changed is a connection after a change, and what is another one now, in words.
type Changed struct {
	Changes    []string    `json:"changed"`
	Connection *Connection `json:"connection"`
}

// ChangeConnection changes what every run of a connection is made with. Another folder
// or another address than its runs have used is refused, unless the owner means it: the
// records that are missing there count as deleted.
func (o *Owner) ChangeConnection(ctx context.Context, c ConnectionChange) (*Changed, error) {
	store, was, err := o.Find(ctx, c.Connection)
	if err != nil {
		return nil, err
	}
	var own *storage.Connection
	var changes []string
	err = o.Audited(ctx, store, "connections.set", was.Name, func(ctx context.Context) (err error) {
		if was.Unreadable != nil {
			return was.Unreadable // what is kept would be lost
		}
		if !c.onlyRenames() {
			if err := NotOnDevice(ctx, store, was.ID); err != nil {
				return err
			}
		}
		own, changes, err = o.change(ctx, store, was, c)
		if err == nil && len(changes) == 0 {
			err = errUnchanged
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Changed{append([]string{}, changes...), connectionOf(own)}, nil
}

// onlyRenames reports whether nothing but the name changes: what a device runs can be renamed here.
func (c *ConnectionChange) onlyRenames() bool { return len(c.Roots)+len(c.Options)+len(c.Unset) == 0 }

// change changes a connection, and says what is another one now. To judge a change
// takes a module and folders, too long to keep every other write waiting: when a run
// has kept something meanwhile the change is judged again, over the connection as it is
// then.
func (o *Owner) change(ctx context.Context, store *storage.Store, was *storage.Connection, c ConnectionChange) (*storage.Connection, []string, error) {
	for {
		if c.If != "" && c.If != revisionOf(was) {
			return nil, nil, edited("connection " + was.Name)
		}
		own := *was
		if own.Name = cmp.Or(c.Name, was.Name); own.Name != was.Name && !modules.ValidName(own.Name) {
			return nil, nil, noName(own.Name)
		}
		own.Roots, own.Options, own.ReadRoots = Overlaid(was.Roots, c.Roots), Overlaid(was.Options, c.Options), Overlaid(was.ReadRoots, nil)
		_, address := c.Options[run.OptionBaseURL]
		x := ownChange{roots: sortedNames(c.Roots), address: address, accept: c.AcceptRoot}
		if err := x.forget(&own, c.Unset); err != nil {
			return nil, nil, err
		}
		if !c.onlyRenames() {
			if err := o.mayHave(ctx, &own, c.Options, x); err != nil {
				return nil, nil, err
			}
		}
		changes := o.changes(was, &own)
		if len(changes) == 0 {
			return &own, nil, nil
		}
		if own.Options[run.OptionBaseURL] != was.Options[run.OptionBaseURL] {
			if err := o.NeedProof(ctx, OpSetAddress); err != nil {
				return nil, nil, err
			}
		}
		same := false
		now, err := store.KeepConnection(ctx, was.ID, func(now *storage.Connection) error {
			same = now.Name == was.Name && maps.Equal(now.Roots, was.Roots) && maps.Equal(now.Options, was.Options) && maps.Equal(now.ReadRoots, was.ReadRoots)
			if same {
				now.Name, now.Roots, now.Options, now.ReadRoots = own.Name, own.Roots, own.Options, own.ReadRoots
			}
			return nil
		})
		if err != nil || same {
			return now, changes, err
		}
		was = now
	}
}

// ownChange is the part of a change that is judged by what the connection's runs have
// used.
type ownChange struct {
	roots   []string // that were named or forgotten
	address bool     // whether base_url was
	accept  bool
}

// forget takes options and folders away from a connection.
func (x *ownChange) forget(own *storage.Connection, names []string) error {
	for _, name := range names {
		_, option := own.Options[name]
		_, root := own.Roots[name]
		switch {
		case option:
			delete(own.Options, name)
			x.address = x.address || name == run.OptionBaseURL
		case root:
			delete(own.Roots, name)
			x.roots = append(x.roots, name)
		default:
			has := append(sortedNames(own.Options), sortedNames(own.Roots)...)
			hint := "it has none of its own"
			if len(has) > 0 {
				hint = "it has: " + strings.Join(has, ", ")
			}
			return usage(fmt.Sprintf("connection %q has no option and no folder %q of its own", own.Name, name), hint)
		}
	}
	return nil
}

// mayHave refuses what a run of the connection would refuse: an unknown folder, a
// secret, and what its owner has not accepted. Its runs are held against what was
// accepted from then on.
func (o *Owner) mayHave(ctx context.Context, own *storage.Connection, options map[string]string, x ownChange) error {
	m, err := o.ManifestOf(ctx, own)
	if err != nil {
		return err
	}
	if err := checkOptions(m, options, "store it encrypted: ", words.Quoted(own.Name)); err != nil {
		return err
	}
	if x.address {
		if _, known := run.BaseURL(own); known {
			now := own.Options[run.OptionBaseURL]
			if err := x.checkSources(own, nil, map[string]string{run.OptionBaseURL: now}); err != nil {
				return err
			}
			run.SetBaseURL(own, now)
		}
	}
	if len(x.roots) == 0 {
		return nil
	}
	if err := readsFolders(m, own.Roots); err != nil {
		return err
	}
	resolved, err := o.Folders.Resolve(m, own.Roots, own.Accepted)
	if err != nil {
		return err
	}
	var read []run.ResolvedRoot // those that its runs have read, as they are now
	for _, name := range x.roots {
		if _, known := own.ReadRoots[name]; !known {
			continue
		}
		at := slices.IndexFunc(resolved, func(r run.ResolvedRoot) bool { return r.Name == name })
		if at < 0 { // it is read no more
			resolved, at = append(resolved, run.ResolvedRoot{Name: name, Path: "none", Origin: "--unset", Empty: true}), len(resolved)
		}
		read = append(read, resolved[at])
	}
	if err := x.checkSources(own, read, nil); err != nil {
		return err
	}
	run.SetFolders(own, read)
	return nil
}

func (x *ownChange) checkSources(own *storage.Connection, roots []run.ResolvedRoot, options map[string]string) error {
	if x.accept {
		return nil
	}
	return run.CheckSources(own, roots, options)
}

// changes says what is another one now. Options are told by name only: a value may
// be a secret (Invariant 5).
func (o *Owner) changes(was, own *storage.Connection) (said []string) {
	if was.Name != own.Name {
		said = append(said, "its name is "+own.Name+", it was "+was.Name)
	}
	tilde := func(path string) string { return words.Tilde(o.Home, path) }
	for _, root := range sortedNames(Overlaid(was.Roots, own.Roots)) {
		before, had := was.Roots[root]
		now, has := own.Roots[root]
		switch {
		case had && !has:
			said = append(said, "root "+root+" is forgotten, it was "+tilde(before))
		case had && now != before:
			said = append(said, "root "+root+" is "+tilde(now)+", it was "+tilde(before))
		case !had, was.ReadRoots[root] != own.ReadRoots[root]:
			said = append(said, "root "+root+" is "+tilde(now))
		}
	}
	for _, name := range sortedNames(Overlaid(was.Options, own.Options)) {
		before, had := was.Options[name]
		now, has := own.Options[name]
		switch {
		case had && !has:
			said = append(said, "option "+name+" is forgotten")
		case !had || now != before:
			said = append(said, "option "+name+" is set")
		}
	}
	before, _ := run.BaseURL(was)
	if now, _ := run.BaseURL(own); before != now {
		if now == "" {
			now = "the provider's own address"
		}
		said = append(said, "it asks at "+now)
	}
	return said
}

// Overlaid is one map with another over it; it shares neither.
func Overlaid(base, over map[string]string) map[string]string {
	out := maps.Clone(base)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, over)
	return out
}

// readsFolders refuses folders for a connector that reads none.
func readsFolders(m *abi.Manifest, roots map[string]string) error {
	if _, reads := m.Requirements.Bindings[abi.BindingFilesystem]; !reads && len(roots) > 0 {
		return abi.NewError(abi.CodeRootInvalid, "the connector reads no folders", "leave --root out")
	}
	return nil
}
