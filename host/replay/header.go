package replay

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Format is the version of the file format that this package writes and reads.
const Format = 1

// Header is the first line of a recording: the module, and the clock.
type Header struct {
	Format         int      `json:"pdpp_recording"`
	ABI            int      `json:"abi"`
	Connector      string   `json:"connector"` // the manifest's connector_key
	Version        string   `json:"version"`
	ModuleSHA256   string   `json:"module_sha256"`
	ManifestSHA256 string   `json:"manifest_sha256"`
	ClockStart     string   `json:"clock_start"` // RFC 3339, UTC
	Seed           string   `json:"seed"`        // seed of the randomness, hexadecimal
	Mode           string   `json:"mode"`        // the run's collection_mode
	Bindings       []string `json:"bindings"`    // granted, in order
}

// check returns the problem of a header from a file; "" if there is none.
func (h *Header) check() string {
	switch {
	case h.Format != Format:
		return "its format is not the one that this host reads"
	case h.ABI != abi.Version:
		return "it was made with another version of the plugin ABI"
	case !connectorKey(h.Connector):
		return "connector is no connector_key"
	case len(h.Version) > 128 || len(h.Mode) > 32:
		return "version or mode is too long"
	case !hexadecimal(h.ModuleSHA256) || !hexadecimal(h.ManifestSHA256) || !hexadecimal(h.Seed):
		return "a hash or the seed is not 32 bytes in lower-case hexadecimal"
	case len(h.Bindings) > 32 || !slices.IsSorted(h.Bindings) || slices.ContainsFunc(h.Bindings, func(b string) bool { return b == "" || len(b) > 128 }):
		return "bindings is not a short, ordered list of names"
	}
	start, err := time.Parse(time.RFC3339Nano, h.ClockStart)
	if err != nil || start.UTC().Format(time.RFC3339Nano) != h.ClockStart || start.Year() < 1970 || start.Year() > 2200 {
		return "clock_start is no time in UTC from 1970 to 2200"
	}
	return ""
}

// grant returns the grant of a checked header's guest, without its waits.
func (h *Header) grant() plugin.Grant {
	d := &plugin.Determinism{}
	d.Start, _ = time.Parse(time.RFC3339Nano, h.ClockStart)
	seed, _ := hex.DecodeString(h.Seed)
	copy(d.Seed[:], seed)
	g := plugin.Grant{Bindings: map[string]bool{}, Deterministic: d}
	for _, b := range h.Bindings {
		g.Bindings[b] = true
	}
	return g
}

func hexadecimal(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && s == strings.ToLower(s)
}

// connectorKey checks a name against the manifest's rule for it, because the name may
// become part of a path.
func connectorKey(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}
