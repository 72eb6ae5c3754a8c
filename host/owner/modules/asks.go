package modules

import (
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Ask is one thing that a manifest asks for, in words for an owner. With ByName it is
// accepted by that name or not at all.
type Ask struct {
	What, Value string
	ByName      storage.AcceptedItem
}

func (a Ask) String() string { return a.What + " " + a.Value }

// AsksAt is what a connector asks instead of its provider, or as its owner's own server.
const AsksAt = "asks at"

// Reaches reports whether a says where a module's requests go, beside the hosts of its manifest.
func (a Ask) Reaches() bool { return a.What == AsksAt || a.What == "browses" }

// Secret reports whether a says where a credential comes from or goes.
func (a Ask) Secret() bool {
	return a.What == "sends" || a.What == "credential" || a.What == "variable"
}

// Asks lists everything that a manifest asks the owner to allow.
func Asks(m *abi.Manifest) []Ask {
	var all []Ask
	var bindings []string
	for name, b := range m.Requirements.Bindings {
		if !b.Required {
			name += " (optional)"
		}
		bindings = append(bindings, name)
	}
	slices.Sort(bindings)
	for _, b := range bindings {
		all = append(all, Ask{What: "binding", Value: b})
	}
	if n := m.Requirements.Network; n != nil {
		for _, h := range n.Hosts {
			all = append(all, Ask{What: "reaches", Value: h.Place() + " (" + h.Reason + ")"})
		}
	}
	all = append(all, browsed(m)...)
	all = append(all, places(m)...)
	for _, c := range manifest.Credentials(m) {
		all = append(all, credential(m, &c)...)
	}
	for _, p := range manifest.SecretPlaces(m, "") {
		sends := Ask{What: "sends", Value: p.String()}
		if p.ByName {
			sends.Value += ", other than to read only once slot=" + p.Slot + " is accepted by name"
		}
		if all = append(all, sends); p.ByName {
			all = append(all, Ask{
				What: "slot", Value: p.Slot + ", which sends " + p.String() + " with any request, also to change something there",
				ByName: storage.AcceptedItem{Kind: storage.AcceptSlot, Name: p.Slot},
			})
		}
	}
	return append(append(all, options(m)...), Ask{What: "schedule", Value: schedule(m)})
}

// browsed lists where the pages of a browser may go, and what for.
func browsed(m *abi.Manifest) []Ask {
	b := m.Requirements.Browser
	if b == nil {
		return nil
	}
	what := map[string]string{
		abi.RoleProvider: "pages that it reads", abi.RoleAsset: "parts of pages", abi.RoleSignIn: "while you are signed in there, which it does not read",
	}
	var all []Ask
	for _, h := range b.Hosts {
		name := h.Host
		if h.Suffix != "" {
			name = "every host below " + h.Suffix
		}
		all = append(all, Ask{What: "browses", Value: name + " (" + h.Reason + "): " + what[h.Role]})
	}
	if b.Downloads {
		all = append(all, Ask{What: "browses", Value: "and downloads files"})
	}
	if b.HTTP {
		all = append(all, Ask{What: "browses", Value: "and asks the sites that it reads past the browser too, signed in as you are there"})
	}
	if b.Pictures {
		all = append(all, Ask{What: "browses", Value: "and takes pictures of the pages that it reads"})
	}
	if b.BypassCSP {
		all = append(all, Ask{What: "browses", Value: "and takes the sites' own policy against foreign scripts from its pages, but for those where you sign in"})
	}
	return all
}

// options lists the options that an owner may set.
func options(m *abi.Manifest) []Ask {
	if m.Options == nil {
		return []Ask{{What: "option", Value: "any: its manifest does not say which there are, so none is checked"}}
	}
	var all []Ask
	for _, o := range m.Options {
		value := o.Name + " (" + o.Type
		if text := manifest.DefaultText(o); text != "" {
			value += ", else " + text
		}
		all = append(all, Ask{What: "option", Value: value + "): " + o.Description})
	}
	return all
}

// credential says of a credential which variables fill it. A variable that does not
// carry the connector's name may be another program's, and is asked for by itself.
func credential(m *abi.Manifest, c *abi.CredentialField) []Ask {
	var own []string
	var others []Ask
	for _, name := range c.Env {
		if manifest.OwnVariable(m.ConnectorKey, name) {
			own = append(own, name)
			continue
		}
		others = append(others, Ask{
			What: "variable", Value: name + ", not called after the connector, as credential " + c.Name,
			ByName: storage.AcceptedItem{Kind: storage.AcceptVariable, Name: name},
		})
	}
	value := c.Name
	if len(own) > 0 {
		value += " (" + strings.Join(own, " or ") + ")"
	}
	return append([]Ask{{What: "credential", Value: value}}, others...)
}

// schedule says when the connector would run by itself.
func schedule(m *abi.Manifest) string {
	p := m.Capabilities.RefreshPolicy
	switch {
	case p == nil, p.RecommendedMode == "automatic" && p.RecommendedIntervalSeconds == nil:
		return "runs by itself where pdpp-host serves"
	case p.RecommendedMode == "automatic":
		return "runs by itself where pdpp-host serves, " + words.Every(time.Duration(*p.RecommendedIntervalSeconds)*time.Second)
	}
	return "runs when you run it"
}

// Change is one difference between two manifests.
type Change struct {
	What string `json:"what"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

func (c Change) String() string {
	switch {
	case c.From == "":
		return "+ " + c.What + " " + c.To
	case c.To == "":
		return "- " + c.What + " " + c.From
	}
	return c.What + " " + c.To + ", was " + c.From
}

// Changes lists what a new manifest asks for differently from the accepted one.
func Changes(old, now *abi.Manifest) []Change {
	all := []Change{}
	if old.Version != now.Version {
		all = append(all, Change{"version", old.Version, now.Version})
	}
	if old.DisplayName != now.DisplayName {
		all = append(all, Change{"name", old.DisplayName, now.DisplayName})
	}
	before, after := Asks(old), Asks(now)
	for _, s := range old.Streams {
		before = append(before, Ask{What: "stream", Value: s.Name})
	}
	for _, s := range now.Streams {
		after = append(after, Ask{What: "stream", Value: s.Name})
	}
	for _, b := range before {
		if !slices.Contains(after, b) {
			all = append(all, Change{What: b.What, From: b.Value})
		}
	}
	for _, n := range after {
		if !slices.Contains(before, n) {
			all = append(all, Change{What: n.What, To: n.Value})
		}
	}
	return all
}

// places lists the folders that a manifest reads, and how an owner names others.
func places(m *abi.Manifest) []Ask {
	paths := m.Requirements.LocalPaths
	if paths == nil {
		return nil
	}
	place := func(name, variable, fallback string) Ask {
		where := []string{"--root " + name + "=PATH"}
		if variable != "" {
			where = append(where, variable)
		}
		if fallback != "" {
			where = append(where, "~/"+fallback)
		}
		return Ask{What: "reads", Value: strings.Join(where, ", else ")}
	}
	all := []Ask{place(m.ConnectorKey, paths.HomeEnvOverride, paths.HomeDefault)}
	for _, p := range paths.Paths {
		if p.EnvOverride != "" || p.Name != "" {
			all = append(all, place(p.RootName(), p.EnvOverride, ""))
		}
	}
	return append(all, leftAlone(paths)...)
}

// leftAlone lists the files that a connector does not read, or only the beginning of, for each reason.
func leftAlone(paths *abi.LocalPaths) []Ask {
	var reasons []string
	patterns := map[string][]string{}
	for _, i := range paths.Ignores {
		if patterns[i.Reason] == nil {
			reasons = append(reasons, i.Reason)
		}
		patterns[i.Reason] = append(patterns[i.Reason], i.Pattern)
	}
	var all []Ask
	for _, reason := range reasons {
		all = append(all, Ask{What: "leaves alone", Value: strings.Join(patterns[reason], ", ") + " (" + reason + ")"})
	}
	for _, r := range paths.Rules {
		if r.Beginning {
			all = append(all, Ask{What: "reads the beginning", Value: "of " + r.Name + " (" + r.Reason + ")"})
		} else {
			all = append(all, Ask{What: "leaves alone", Value: r.Name + " (" + r.Reason + ")"})
		}
	}
	return all
}
