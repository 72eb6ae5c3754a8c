package posture

import (
	"encoding/json"
	"io/fs"
	"runtime/debug"
	"strings"
	"testing"
)

// built is an install: a version, where the program lies, and what the build says.
func built(version, executable string, settings ...string) Install {
	in := Install{Build: &debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: version}}, Executable: executable}
	if len(settings) == 0 { // of a module that was installed by its version
		in.Build.Main.Sum = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
	}
	for i := 0; i < len(settings); i += 2 {
		in.Build.Settings = append(in.Build.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
	}
	in.ReadFile = func(path string) ([]byte, error) {
		switch path {
		case "/home/ana/src/pdpp-host/go.mod":
			return []byte("// ours\nmodule " + modulePath + "\n\ngo 1.26\n"), nil
		case "/home/ana/go.mod":
			return []byte("module example.com/other\n"), nil
		}
		return nil, fs.ErrNotExist
	}
	return in
}

func TestPosture(t *testing.T) {
	t.Parallel()
	const installed, checkout = "/home/ana/go/bin/pdpp-local-collector", "/home/ana/src/pdpp-host/bin/pdpp-local-collector"
	unread := built("v1.4.0", installed)
	unread.ReadFile = nil
	foreign := built("v1.4.0", installed)
	foreign.Build.Main.Path = "example.com/other"
	named := func(version string) Install { // built where the source is, and moved
		in := built("v0.0.0-20260301120000-0123456789ab", installed, "vcs.revision", "0123456789abcdef0123", "vcs.modified", "false")
		in.Version = version
		return in
	}
	linked := Install{Build: nil, Version: "v1.4.0", Executable: installed}
	for id, tc := range map[string]struct {
		in          Install
		kind        string
		version     string
		placeholder bool
	}{
		"LC-08.1":                         {built("v1.4.0", installed), Published, "1.4.0", false},
		"LC-08.2 inside a checkout":       {built("v1.4.0", checkout), Override, "1.4.0", false},
		"LC-08.2 built by hand":           {built("(devel)", installed), Override, "0.0.0", true},
		"LC-08.2 changed source":          {built("v1.4.0", installed, "vcs.modified", "true"), Override, "1.4.0", false},
		"LC-08.2 behind a tag":            {built("v1.4.1-0.20260301120000-0123456789ab", installed), Override, "1.4.1-0.20260301120000-0123456789ab", false},
		"LC-08.2 dirty version":           {built("v1.4.0+dirty", installed), Override, "1.4.0+dirty", false},
		"LC-08.2 named by its revision":   {named("0123456"), Override, "0123456", false},
		"LC-08.2 named behind a tag":      {named("v1.4.0-3-g0123456"), Override, "1.4.0-3-g0123456", false},
		"LC-08.2 named as changed":        {named("v1.4.0-dirty"), Override, "1.4.0-dirty", false},
		"LC-08.3 named like a release":    {named("v1.4.0"), Unknown, "1.4.0", false},
		"LC-08.3 no build":                {Install{}, Unknown, "0.0.0", true},
		"LC-08.3 a version, and no build": {linked, Unknown, "1.4.0", false},
		"LC-08.3 it cannot be looked":     {unread, Unknown, "1.4.0", false},
		"LC-08.3 no executable":           {built("v1.4.0", ""), Unknown, "1.4.0", false},
		"LC-08.3 another program":         {foreign, Unknown, "1.4.0", false},
		"LC-08.4":                         {built("v0.0.0", installed), Override, "0.0.0", true},
		"LC-08.4 no tag":                  {built("v0.0.0-20260301120000-0123456789ab", installed), Override, "0.0.0-20260301120000-0123456789ab", true},
	} {
		p := Of(tc.in)
		if p.Kind != tc.kind || p.Version != tc.version || p.Placeholder != tc.placeholder || p.Hint == "" {
			t.Errorf("%s: %+v", id, p)
		}
		// LC-08.5: none of it says where the program lies.
		text, err := json.Marshal(p)
		if err != nil || strings.Contains(string(text), "/") || strings.Contains(string(text), "ana") {
			t.Errorf("LC-08.5 %s: %s %v", id, text, err)
		}
	}
}

// The agent's version is two words, and no third.
func TestAgentVersion(t *testing.T) {
	t.Parallel()
	for want, in := range map[string]Install{
		"1.4.0+0123456789ab": built("v1.4.0", "", "vcs.revision", "0123456789abcdef0123"),
		"1.4.0+source":       built("v1.4.0", "", "vcs.revision", "../../etc/passwd"),
		"0.0.0+source":       {},
		"2.0.0+source":       {Version: "v2.0.0"},
	} {
		if got := in.AgentVersion(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
