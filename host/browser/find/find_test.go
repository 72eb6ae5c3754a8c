package find

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
)

// system is a made-up one that has the files; a value that begins with "->" is a link.
func system(goos string, env, files map[string]string) *System {
	tree := fstest.MapFS{}
	for name, text := range files {
		mode := fs.FileMode(0o755)
		if strings.HasPrefix(text, "plain:") {
			mode = 0o644
		}
		tree[key(name)] = &fstest.MapFile{Data: []byte(text), Mode: mode}
	}
	return &System{
		GOOS: goos, Home: env["HOME"], Getenv: func(name string) string { return env[name] },
		Registered: func(program string) string { return env["App Paths "+program] },
		Open:       func(name string) (fs.File, error) { return tree.Open(key(name)) },
		Resolve: func(name string) (string, error) {
			text, ok := files[name]
			if to, link := strings.CutPrefix(text, "->"); link {
				name, ok = to, files[to] != ""
			}
			if !ok {
				return "", fs.ErrNotExist
			}
			return name, nil
		},
	}
}

func key(name string) string {
	return strings.NewReplacer(`\`, "/", ":", "").Replace(strings.TrimPrefix(name, "/"))
}

// The tables of discovery, one for each kind of system (BR-04).
func TestBrowser(t *testing.T) {
	t.Parallel()
	unix := map[string]string{"PATH": "/usr/local/bin:/usr/bin::bin", "HOME": "/home/ana"}
	for name, c := range map[string]struct {
		goos   string
		env    map[string]string
		files  map[string]string
		chosen string
		want   string // the program; or, after "!", what the refusal says
	}{
		"the plain program of Debian's script": {"linux", unix, map[string]string{"/usr/bin/chromium": "#!/bin/sh\n", debian: "\x7fELF"}, "", debian},
		"a script alone":                       {"linux", unix, map[string]string{"/usr/bin/chromium": "#!/bin/sh\n"}, "", "/usr/bin/chromium"},
		"Debian's program without a script":    {"linux", unix, map[string]string{debian: "\x7fELF"}, "", debian},
		"chromium before Chrome":               {"linux", unix, map[string]string{"/usr/local/bin/google-chrome": "\x7fELF", "/usr/bin/chromium": "\x7fELF"}, "", "/usr/bin/chromium"},
		"Chrome behind its link and script": {
			"linux", unix, map[string]string{"/usr/bin/google-chrome-stable": "->/opt/google/chrome/google-chrome", "/opt/google/chrome/google-chrome": "#!/bin/bash\n", "/opt/google/chrome/chrome": "\x7fELF"},
			"", "/opt/google/chrome/chrome",
		},
		"chosen":                             {"linux", unix, map[string]string{"/opt/my/browser": "\x7fELF", "/usr/bin/chromium": "\x7fELF"}, "/opt/my/browser", "/opt/my/browser"},
		"chosen, not there":                  {"linux", unix, map[string]string{"/usr/bin/chromium": "\x7fELF"}, "/opt/my/browser", "!is no program"},
		"chosen, a snap":                     {"linux", unix, map[string]string{"/snap/bin/chromium": "\x7fELF"}, "/snap/bin/chromium", "!is a snap"},
		"a snap on the PATH":                 {"linux", map[string]string{"PATH": "/snap/bin"}, map[string]string{"/snap/bin/chromium": "\x7fELF"}, "", "!is a snap"},
		"Ubuntu's script for its snap":       {"linux", unix, map[string]string{"/usr/bin/chromium-browser": "#!/bin/sh\nexec /snap/bin/chromium\n"}, "", "!is a snap"},
		"a link into a snap":                 {"linux", unix, map[string]string{"/usr/bin/chromium": "->/snap/chromium/1/chrome", "/snap/chromium/1/chrome": "\x7fELF"}, "", "!is a snap"},
		"a snap, and a program besides":      {"linux", unix, map[string]string{"/usr/bin/chromium": "#!/bin/sh\nexec /snap/bin/chromium\n", "/usr/bin/google-chrome": "\x7fELF"}, "", "/usr/bin/google-chrome"},
		"a flatpak":                          {"linux", unix, map[string]string{"/usr/bin/chromium": "#!/bin/sh\nexec flatpak run org.chromium.Chromium\n"}, "", "!is a flatpak"},
		"a file that is no program":          {"linux", unix, map[string]string{"/usr/bin/chromium": "plain:"}, "", "!no browser was found"},
		"in a relative folder of PATH":       {"linux", unix, map[string]string{"bin/chromium": "\x7fELF", "chromium": "\x7fELF"}, "", "!no browser was found"},
		"none, on Debian":                    {"linux", unix, map[string]string{"/etc/os-release": "NAME=x\nID=debian\n"}, "", "!apt-get install chromium"},
		"none, on Ubuntu":                    {"linux", unix, map[string]string{"/etc/os-release": "ID=ubuntu\nID_LIKE=debian\n"}, "", "!Google Chrome from its .deb package"},
		"none, on an unknown Linux":          {"linux", unix, nil, "", "!install the package chromium of your system"},
		"an application of macOS":            {"darwin", unix, map[string]string{"/Applications/Chromium.app/Contents/MacOS/Chromium": "\xcf"}, "", "/Applications/Chromium.app/Contents/MacOS/Chromium"},
		"an application of this user":        {"darwin", unix, map[string]string{"/home/ana/Applications/Brave Browser.app/Contents/MacOS/Brave Browser": "\xcf"}, "", "/home/ana/Applications/Brave Browser.app/Contents/MacOS/Brave Browser"},
		"macOS without a home":               {"darwin", nil, map[string]string{"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge": "\xcf"}, "", "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"},
		"Chrome before Edge, on Windows":     {"windows", map[string]string{"ProgramFiles": `C:\P`, "LocalAppData": `C:\L`}, map[string]string{`C:\P\Google\Chrome\Application\chrome.exe`: "plain:MZ", `C:\P\Microsoft\Edge\Application\msedge.exe`: "plain:MZ"}, "", `C:\P\Google\Chrome\Application\chrome.exe`},
		"a user's own, on Windows":           {"windows", map[string]string{"LocalAppData": `C:\L`}, map[string]string{`C:\L\Chromium\Application\chrome.exe`: "plain:MZ"}, "", `C:\L\Chromium\Application\chrome.exe`},
		"one that is registered, on Windows": {"windows", map[string]string{"ProgramFiles": `C:\P`, "App Paths chrome.exe": `D:\Chrome\chrome.exe`}, map[string]string{`D:\Chrome\chrome.exe`: "plain:MZ"}, "", `D:\Chrome\chrome.exe`},
		"none, on Windows":                   {"windows", map[string]string{"ProgramFiles": `C:\P`}, nil, "", "!install Google Chrome"},
	} {
		got, err := system(c.goos, c.env, c.files).Browser(c.chosen)
		problem, refused := strings.CutPrefix(c.want, "!")
		if !refused {
			if got != c.want || err != nil {
				t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
			}
			continue
		}
		var e *abi.Error
		if !errors.As(err, &e) || e.Code != abi.CodeBrowserMissing || !strings.Contains(e.Message+" "+e.Hint, problem) || got != "" {
			t.Errorf("%s: got %q, %v, want a refusal that says %q", name, got, err, problem)
		}
	}
}
