package connectors

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/storage"
)

// CodeOtherTerms says that the module, or what it gets, is another one than was shown.
const CodeOtherTerms abi.Code = "plugin.other_terms"

// OfferQuery asks what a module would get.
type OfferQuery struct {
	Connector  string // a name in the plugins folder
	Connection string // whose folders and options count; "": a new one's
	Roots      map[string]string
	Options    map[string]string
}

// Offer is a module before its owner's word: what it is and what it gets by it.
type Offer struct {
	Connector, Title, Version, SHA256 string

	Hosts       []Host
	Folders     []Folder
	Credentials []abi.CredentialField
	Options     []abi.Option
	Streams     []string
	Every       time.Duration // how often it recommends to run; 0: when its owner runs it
	Rationale   string        // of that, in its own words
	Terms       *modules.Terms
	Changes     []modules.Change // from what the connection has accepted; nil: it has accepted none
	Accepted    bool             // the connection runs this module already
	Mark        string           // of all that was shown: see Shown
}

// Host is a host that a module reaches, and why it says it does.
type Host struct{ Host, Reason string }

// Folder is a folder that a module reads, by the name that its owner gives another one by, and the one
// that they gave.
type Folder struct{ Name, Default, Given string }

// Look returns a module as it is offered to its owner.
func Look(ctx context.Context, o *owner.Owner, q OfferQuery) (*Offer, error) {
	roots, options := q.Roots, q.Options
	var conn *storage.Connection
	connector := q.Connector
	if q.Connection != "" {
		var err error
		if _, conn, err = o.Find(ctx, q.Connection); err != nil {
			return nil, err
		}
		connector = conn.Connector
		roots, options = owner.Overlaid(conn.Roots, roots), owner.Overlaid(conn.Options, options)
	}
	m, err := o.OpenTyped(ctx, connector, "", q.Connection)
	if err != nil {
		return nil, err
	}
	d, err := o.Describe(ctx, m.File)
	if err == nil {
		err = modules.Misnamed(m.Connector, d)
	}
	if err != nil {
		return nil, err
	}
	t, err := o.Terms(d, roots, options)
	if err != nil {
		return nil, err
	}
	f := offerOf(t)
	for i := range f.Folders {
		f.Folders[i].Given = roots[f.Folders[i].Name]
	}
	if conn != nil && conn.PinnedSHA256 != "" {
		f.Accepted = conn.PinnedSHA256 == f.SHA256
		if old := modules.Pinned(conn); old != nil {
			f.Changes = modules.Changes(old, d.Manifest)
		}
	}
	return f, nil
}

func offerOf(t *modules.Terms) *Offer {
	m := t.Module.Manifest
	f := &Offer{
		Connector: m.ConnectorKey, Title: cmp.Or(m.DisplayName, m.ConnectorKey), Version: m.Version, SHA256: t.Module.File.SHA256,
		Credentials: manifest.Credentials(m), Options: m.Options, Terms: t, Mark: markOf(t),
	}
	if n := m.Requirements.Network; n != nil {
		for _, h := range n.Hosts {
			f.Hosts = append(f.Hosts, Host{h.Place(), h.Reason})
		}
	}
	if b := m.Requirements.Browser; b != nil {
		for _, h := range b.Hosts {
			f.Hosts = append(f.Hosts, Host{h.Host + h.Suffix, h.Reason})
		}
	}
	if p := m.Requirements.LocalPaths; p != nil {
		f.Folders = append(f.Folders, Folder{Name: m.ConnectorKey, Default: p.HomeDefault})
		for _, path := range p.Paths {
			if path.EnvOverride != "" || path.Name != "" {
				f.Folders = append(f.Folders, Folder{Name: path.RootName()})
			}
		}
	}
	for _, s := range m.Streams {
		f.Streams = append(f.Streams, s.Name)
	}
	if p := m.Capabilities.RefreshPolicy; p != nil {
		f.Rationale = p.Rationale
		if p.RecommendedMode == "automatic" && p.RecommendedIntervalSeconds != nil {
			f.Every = time.Duration(*p.RecommendedIntervalSeconds) * time.Second
		}
	}
	return f
}

// markOf is equal for two terms that give the same module the same.
func markOf(t *modules.Terms) string {
	h := sha256.New()
	for _, list := range [][]modules.Ask{t.Asks, t.ByName} {
		for _, a := range list {
			fmt.Fprintf(h, "%q ", a.String())
		}
		fmt.Fprint(h, "; ")
	}
	fmt.Fprintf(h, "%s", t.Module.File.SHA256)
	return hex.EncodeToString(h.Sum(nil))
}

// Shown is the word of an owner who was shown an Offer before: it holds for that alone.
type Shown struct {
	Mark  string   // of what was shown
	Allow []string // KIND=NAME, what is accepted by name
	Home  string   // the owner's home folder; "": unknown
}

// Ask implements owner.Consent.
func (s Shown) Ask(_ context.Context, t *modules.Terms, _, _ []storage.AcceptedItem) ([]storage.AcceptedItem, error) {
	if markOf(t) != s.Mark {
		return nil, abi.NewError(CodeOtherTerms, "what the connector gets is not what you were shown", "look at it again: nothing was accepted")
	}
	return t.Allow(s.Allow, s.Home)
}
