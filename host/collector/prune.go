package collector

import (
	"strconv"
	"strings"
)

// The environment's overrides of the automatic prune (LC-09.5).
const (
	EnvAutoPrune     = "PDPP_COLLECTOR_AUTO_PRUNE"
	EnvAutoPruneKeep = "PDPP_COLLECTOR_AUTO_PRUNE_KEEP_COUNT"
)

// keepRecent is how many acknowledged rows stay where nobody says otherwise.
const keepRecent = 10_000

// AutoPrune is a configuration's own word on the automatic prune. A nil Enabled
// and a Keep below 1 say nothing.
type AutoPrune struct {
	Enabled *bool
	Keep    int64
}

// pruning is what counts in the end: the environment's word, else the
// configuration's, else the default. A word that cannot be read is none, and
// keeping fewer than one row cannot be asked for (LC-09.6).
type pruning struct {
	enabled bool
	keep    int64
}

func pruningOf(config AutoPrune, getenv func(string) string) pruning {
	out := pruning{enabled: true, keep: keepRecent}
	if config.Enabled != nil {
		out.enabled = *config.Enabled
	}
	if config.Keep >= 1 {
		out.keep = config.Keep
	}
	if getenv == nil {
		return out
	}
	switch word := strings.ToLower(strings.TrimSpace(getenv(EnvAutoPrune))); word {
	case "":
	case "0", "false", "off", "no":
		out.enabled = false
	default:
		out.enabled = true
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(getenv(EnvAutoPruneKeep)), 10, 64); err == nil && n >= 1 {
		out.keep = n
	}
	return out
}
