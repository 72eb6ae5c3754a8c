package posture

import (
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

// Where the running program comes from (LC-08). The words of the kinds are the
// protocol's; the hint says the same plainly. None of them holds a path.
const (
	Published = "published_package"
	Override  = "repo_dist_override"
	Unknown   = "unknown"
)

// Install is what a program knows of itself.
type Install struct {
	Build      *debug.BuildInfo             // nil: there is none
	Version    string                       // set at link time; "" takes the build's
	Executable string                       // "": not known
	ReadFile   func(string) ([]byte, error) // looks for a checkout above the executable; nil: it cannot be told
}

// Posture is where the running program comes from, and whether its version is a
// real one.
type Posture struct {
	Kind        string `json:"kind"`
	Version     string `json:"package_version"`
	Placeholder bool   `json:"is_placeholder_version"`
	Hint        string `json:"location_hint"`
}

const modulePath = "github.com/pdpp-host/pdpp-host"

// pseudo is the version of a revision that has no tag.
var pseudo = regexp.MustCompile(`^v?0\.0\.0(-|$)`)

// released is a version that a release can have; untagged the end of one that lies
// behind a tag, or is dirty.
var (
	released = regexp.MustCompile(`^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)
	untagged = regexp.MustCompile(`(-0\.\d{14}-[0-9a-f]{12}|-\d+-g[0-9a-f]+|-dirty)$`)
)

// Of says where the program comes from. A fact that cannot be told is unknown, never a
// guess (LC-08.3).
func Of(in Install) Posture {
	version := in.Version
	if version == "" && in.Build != nil {
		version = in.Build.Main.Version
	}
	p := Posture{Kind: Unknown, Version: strings.TrimPrefix(version, "v"), Hint: "where this program comes from cannot be told"}
	if p.Version == "" || p.Version == "(devel)" {
		p.Version = "0.0.0"
	}
	p.Placeholder = pseudo.MatchString(p.Version)
	if in.Build == nil {
		return p
	}
	dirty := in.setting("vcs.modified") == "true"
	switch inside, known := in.insideCheckout(); {
	case inside:
		p.Kind, p.Hint = Override, "a program inside a checkout of the source"
	case in.Build.Main.Path != modulePath:
		// Another module's build says nothing of this one.
	case !released.MatchString(version) || dirty || p.Placeholder || untagged.MatchString(version):
		p.Kind, p.Hint = Override, "a development build of the source, not a release"
	case in.Build.Main.Sum == "": // it was built where the source was, and may be anybody's
		p.Hint = "a build of version " + p.Version + "; whether it is the release cannot be told"
	case known:
		p.Kind, p.Hint = Published, "a released version, installed"
	}
	return p
}

// AgentVersion is how the program names itself to the host: its version, and the
// revision that it was built from.
func (in Install) AgentVersion() string {
	revision := in.setting("vcs.revision")
	if len(revision) < 12 || strings.ContainsFunc(revision[:12], notHex) {
		revision = "source......"
	}
	if revision = revision[:12]; strings.HasPrefix(revision, "source") {
		revision = "source"
	}
	return Of(in).Version + "+" + revision
}

func notHex(r rune) bool { return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'f') }

func (in Install) setting(key string) string {
	if in.Build == nil {
		return ""
	}
	for _, s := range in.Build.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// insideCheckout looks for this module's go.mod above the executable.
func (in Install) insideCheckout() (inside, known bool) {
	if in.Executable == "" || in.ReadFile == nil || !filepath.IsAbs(in.Executable) {
		return false, false
	}
	for dir := filepath.Dir(in.Executable); ; dir = filepath.Dir(dir) {
		text, err := in.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			for line := range strings.SplitSeq(string(text), "\n") {
				if f := strings.Fields(line); len(f) == 2 && f[0] == "module" && f[1] == modulePath {
					return true, true
				}
			}
		}
		if dir == filepath.Dir(dir) {
			return false, true
		}
	}
}
