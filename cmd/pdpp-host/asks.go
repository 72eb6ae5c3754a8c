package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// ask is one thing that a manifest asks for, in words for an owner.
type ask struct {
	what, value string
}

// asks lists everything that a manifest asks the owner to allow.
func asks(m *abi.Manifest) []ask {
	var all []ask
	var bindings []string
	for name, b := range m.Requirements.Bindings {
		if !b.Required {
			name += " (optional)"
		}
		bindings = append(bindings, name)
	}
	slices.Sort(bindings)
	for _, b := range bindings {
		all = append(all, ask{"binding", b})
	}
	if n := m.Requirements.Network; n != nil {
		for _, h := range n.Hosts {
			all = append(all, ask{"reaches", h.Host + " (" + h.Reason + ")"})
		}
	}
	if c := m.Setup.CredentialCapture; c != nil {
		for _, f := range c.Fields {
			value := f.Name
			if len(f.Env) > 0 {
				value += " (" + strings.Join(f.Env, " or ") + ")"
			}
			all = append(all, ask{"credential", value})
		}
	}
	for _, e := range m.Requirements.Environment {
		all = append(all, ask{"variable", e})
	}
	return all
}

// change is one difference between two manifests.
type change struct {
	What string `json:"what"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// changes lists what a new manifest asks for differently from the accepted one.
func changes(old, now *abi.Manifest) []change {
	all := []change{}
	if old.Version != now.Version {
		all = append(all, change{"version", old.Version, now.Version})
	}
	before, after := asks(old), asks(now)
	for _, s := range old.Streams {
		before = append(before, ask{"stream", s.Name})
	}
	for _, s := range now.Streams {
		after = append(after, ask{"stream", s.Name})
	}
	before, after = append(before, places(old)...), append(after, places(now)...)
	for _, b := range before {
		if !slices.Contains(after, b) {
			all = append(all, change{What: b.what, From: b.value})
		}
	}
	for _, n := range after {
		if !slices.Contains(before, n) {
			all = append(all, change{What: n.what, To: n.value})
		}
	}
	return all
}

// places lists the folders that a manifest reads by default or by a variable.
func places(m *abi.Manifest) []ask {
	paths := m.Requirements.LocalPaths
	if paths == nil {
		return nil
	}
	all := []ask{{"reads", "~/" + paths.HomeDefault + " or " + paths.HomeEnvOverride}}
	for _, p := range paths.Paths {
		all = append(all, ask{"reads", p.RootName() + ": " + p.DefaultRelative + " " + p.EnvOverride})
	}
	return all
}
