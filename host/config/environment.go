package config

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

const envPrefix = "PDPP_"

// environment keeps the variables that this package reads.
func environment(environ []string) map[string]string {
	env := make(map[string]string)
	for _, e := range environ {
		name, val, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, envPrefix) || strings.HasPrefix(name, "XDG_") {
			env[name] = val
		}
	}
	return env
}

// checkEnvironment refuses a PDPP_* variable that is meant for the host and
// that the host does not know. The prefix is shared: connectors declare
// variables of their own with it (PDPP_CODEX_ACTIVE_ROLLOUT_QUIET_MS), and
// which ones is not known before a module is loaded. So a name is the host's
// when it begins with one of the host's sections (PDPP_LIMITS_…) or is a slip
// away from a known name; every other name is a connector's and is left alone.
func checkEnvironment(env map[string]string) error {
	known := make([]string, len(keys))
	var sections []string
	for i, k := range keys {
		known[i] = EnvName(k.name)
		if section, _, ok := strings.Cut(k.name, "."); ok {
			sections = append(sections, EnvName(section)+"_")
		}
	}
	names := make([]string, 0, len(env))
	for name := range env {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !strings.HasPrefix(name, envPrefix) || env[name] == "" || slices.Contains(known, name) {
			continue
		}
		nearest := abi.Nearest(name, known)
		ours := slices.ContainsFunc(sections, func(s string) bool { return strings.HasPrefix(name, s) })
		if !ours && (nearest == "" || abi.Distance(name, nearest) > 2) {
			continue
		}
		if nearest == "" {
			nearest = EnvName(nearestKey(strings.ToLower(strings.TrimPrefix(name, envPrefix)), Keys()))
		}
		return unknownKey("unknown configuration variable "+name, "from the environment", nearest)
	}
	return nil
}
