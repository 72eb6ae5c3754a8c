package modules

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// Ask is one thing that a manifest asks for, in words for an owner.
type Ask struct {
	What, Value string
}

func (a Ask) String() string { return a.What + " " + a.Value }

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
		all = append(all, Ask{"binding", b})
	}
	if n := m.Requirements.Network; n != nil {
		for _, h := range n.Hosts {
			all = append(all, Ask{"reaches", h.Host + " (" + h.Reason + ")"})
		}
	}
	for _, c := range manifest.Credentials(m) {
		value := c.Name
		if len(c.Env) > 0 {
			value += " (" + strings.Join(c.Env, " or ") + ")"
		}
		all = append(all, Ask{"credential", value})
	}
	for _, p := range manifest.SecretPlaces(m, "") {
		value := p.String()
		if p.ByName {
			value += ", other than to read only once slot=" + p.Slot + " is accepted by name"
		}
		all = append(all, Ask{"sends", value})
	}
	for _, e := range m.Requirements.Environment {
		all = append(all, Ask{"variable", e})
	}
	return all
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
	before, after := Asks(old), Asks(now)
	for _, s := range old.Streams {
		before = append(before, Ask{"stream", s.Name})
	}
	for _, s := range now.Streams {
		after = append(after, Ask{"stream", s.Name})
	}
	before, after = append(before, places(old)...), append(after, places(now)...)
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

// places lists the folders that a manifest reads by default or by a variable.
func places(m *abi.Manifest) []Ask {
	paths := m.Requirements.LocalPaths
	if paths == nil {
		return nil
	}
	all := []Ask{{"reads", "~/" + paths.HomeDefault + " or " + paths.HomeEnvOverride}}
	for _, p := range paths.Paths {
		all = append(all, Ask{"reads", p.RootName() + ": " + p.DefaultRelative + " " + p.EnvOverride})
	}
	return all
}
