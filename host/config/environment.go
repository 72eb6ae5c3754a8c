package config

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

const envPrefix = "PDPP_"

// environment returns the variables that this package reads.
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

// checkEnvironment refuses an unknown PDPP_* variable that is meant for the host.
// Connectors declare their own variables with the same prefix
// (PDPP_CODEX_ACTIVE_ROLLOUT_QUIET_MS), which are unknown before a module is loaded. A
// name therefore counts as the host's if it begins with one of the host's sections
// (PDPP_LIMITS_…) or is close to a known name; every other name is a connector's and
// is ignored.
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
