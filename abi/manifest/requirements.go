package manifest

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	maxBindings    = 32
	maxEnvironment = 128
)

// knownBindings are the names that need no namespace: the Collection Profile's and the
// reference implementation's. A known binding is not necessarily granted: the host
// refuses a required binding that it cannot offer (RT-06).
var knownBindings = []string{
	abi.BindingNetwork, abi.BindingFilesystem, abi.BindingInteractive, abi.BindingBrowser,
	abi.BindingBrowserLegacy, abi.BindingLocalDevice, "browser_profile", "loopback_listen",
}

func readRequirements(p place, m *abi.Manifest) {
	if !p.object() {
		return
	}
	r := &m.Requirements
	readBindings(p.member("bindings"), r)
	r.Environment = p.member("environment_variables").texts(maxEnvironment, envName)
	readLocalPaths(p.member("local_paths"), m)
	readNetwork(p.member("network"), r)
	readBrowser(p.member("browser"), r)
}

func readBindings(p place, r *abi.RuntimeRequirements) {
	members := p.members(maxBindings)
	if members == nil {
		return
	}
	r.Bindings = make(map[string]abi.Binding, len(members))
	for _, b := range members {
		name := b.name
		if !slices.Contains(knownBindings, name) && !isNamespaced(name) {
			b.fail("is not a known binding (" + strings.Join(knownBindings, ", ") + ") and has no namespace, as in example.org/name")
			continue
		}
		if !b.object() {
			continue
		}
		required := b.member("required")
		required.require()
		r.Bindings[name] = abi.Binding{Required: required.boolean()}
	}
	_, one := r.Bindings[abi.BindingBrowser]
	_, other := r.Bindings[abi.BindingBrowserLegacy]
	if one && other {
		p.fail("must not declare both " + abi.BindingBrowser + " and " + abi.BindingBrowserLegacy + ": they are one binding")
	}
}

// isNamespaced accepts example.org/name and vendor:name.
func isNamespaced(s string) bool {
	space, name, ok := strings.Cut(s, "/")
	if !ok {
		space, name, ok = strings.Cut(s, ":")
	}
	word := func(c byte) bool { return lower(c) || digit(c) || c == '_' || c == '-' || c == '.' }
	return ok && len(s) <= maxLabel && every(space, word) && every(name, word)
}

func envName(p place) string { return p.matching(maxLabel, isEnv, ruleEnv) }
