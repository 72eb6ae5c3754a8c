package files

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func codex() *abi.Manifest {
	return &abi.Manifest{ConnectorKey: "codex", Requirements: abi.RuntimeRequirements{LocalPaths: &abi.LocalPaths{
		HomeEnvOverride: "CODEX_HOME", HomeDefault: ".codex",
		Paths: []abi.LocalPath{
			{Label: "Codex sessions", DefaultRelative: "sessions", EnvOverride: "CODEX_SESSIONS_DIR"},
			{Name: "state", DefaultRelative: "state", EnvOverride: "CODEX_STATE_DIR"},
			{Label: "Rules", DefaultRelative: "rules"},
		},
	}}}
}

// folders makes the named folders below a fresh one and returns it, links resolved.
func folders(t *testing.T, names ...string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if err := os.MkdirAll(filepath.Join(base, n), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return base
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	base := folders(t, "home/.codex", "env", "flag", "sessions", "state")
	at := func(n string) string { return filepath.Join(base, n) }
	for _, tc := range []struct {
		name  string
		env   map[string]string
		given map[string]string
		want  []Root
	}{
		{"default", nil, nil, []Root{{"codex", at("home/.codex"), OriginDefault, true, nil}}},
		{"variable", map[string]string{"CODEX_HOME": at("env")}, nil, []Root{{"codex", at("env"), "CODEX_HOME", true, nil}}},
		{"flag over variable", map[string]string{"CODEX_HOME": at("env")}, map[string]string{"codex": at("flag")}, []Root{{"codex", at("flag"), OriginFlag, true, nil}}},
		{"further roots", map[string]string{"CODEX_SESSIONS_DIR": at("sessions")}, map[string]string{"state": at("state")},
			[]Root{{"codex", at("home/.codex"), OriginDefault, true, nil}, {"codex_sessions", at("sessions"), "CODEX_SESSIONS_DIR", true, nil}, {"state", at("state"), OriginFlag, true, nil}}},
		{"tilde", nil, map[string]string{"codex": "~/.codex"}, []Root{{"codex", at("home/.codex"), OriginFlag, true, nil}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := &Resolver{Getenv: func(n string) string { return tc.env[n] }, Home: at("home")}
			got, err := r.Resolve(codex(), tc.given, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(tc.want) {
				t.Fatalf("got %v, want %v", got, len(tc.want))
			}
			for i := range got {
				if !reflect.DeepEqual(got[i], tc.want[i]) {
					t.Errorf("got %v, want %v", got[i], tc.want[i])
				}
			}
		})
	}
}

func TestAbsentHomeIsFineWhenAnotherRootWasChosen(t *testing.T) {
	t.Parallel()
	base := folders(t, "home", "sessions")
	r := &Resolver{Home: filepath.Join(base, "home")}
	got, err := r.Resolve(codex(), map[string]string{"codex_sessions": filepath.Join(base, "sessions")}, nil)
	if err != nil || len(got) != 1 || got[0].Name != "codex_sessions" {
		t.Errorf(`got %v, %v, want no error && len(got) == 1 && got[0].Name == "codex_sessions"`, got, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	base := folders(t, "home", "data/pdpp", "ok", "closed")
	at := func(n string) string { return filepath.Join(base, n) }
	if err := os.WriteFile(at("file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("data"), at("link")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name         string
		given        map[string]string
		code         abi.Code
		detail, hint string
	}{
		{"missing flag", map[string]string{"codex": "/mnt/nothing"}, abi.CodeRootMissing, "/mnt/nothing, from --root", "~/.codex by default; leave --root out"},
		{"missing default", nil, abi.CodeRootMissing, ".codex, the default", "--root codex=PATH or CODEX_HOME"},
		{"file", map[string]string{"codex": at("file")}, abi.CodeRootInvalid, "from --root", "folder"},
		{"unknown name", map[string]string{"codx": at("ok")}, abi.CodeRootInvalid, "--root", "codex, codex_sessions, state"},
		{"empty path", map[string]string{"codex": ""}, abi.CodeRootInvalid, "--root", "--root codex=PATH"},
		{"whole file system", map[string]string{"codex": "/"}, abi.CodeRootInvalid, "/, from --root", "folder"},
		{"holds the data folder", map[string]string{"codex": base}, abi.CodeRootInvalid, "--root", "neither holds nor lies in"},
		{"the data folder", map[string]string{"codex": at("data/pdpp")}, abi.CodeRootInvalid, "--root", "neither holds nor lies in"},
		{"the data folder by a link", map[string]string{"codex": at("link")}, abi.CodeRootInvalid, "--root", "neither holds nor lies in"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := &Resolver{Home: at("home"), Private: []string{at("data/pdpp/not/there/yet"), at("data/pdpp")}}
			_, err := r.Resolve(codex(), tc.given, nil)
			var e *abi.Error
			if !errors.As(err, &e) || e.Code != tc.code {
				t.Fatalf("got %v, want %s", err, tc.code)
			}
			if !strings.Contains(e.Detail, tc.detail) || !strings.Contains(e.Hint, tc.hint) {
				t.Errorf("detail %q, hint %q, want strings.Contains(e.Detail, tc.detail) && strings.Contains(e.Hint, tc.hint)", e.Detail, e.Hint)
			}
		})
	}
}

func TestUnreadableFolder(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	base := folders(t, "closed")
	if err := os.Chmod(filepath.Join(base, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	_, err := (&Resolver{}).Resolve(codex(), map[string]string{"codex": filepath.Join(base, "closed")}, nil)
	if abi.CodeOf(err) != abi.CodeRootInvalid {
		t.Errorf("got %v, want %v", err, abi.CodeRootInvalid)
	}
}

// A manifest is untrusted: its default must stay below the home folder.
func TestManifestDefaultCannotLeaveHome(t *testing.T) {
	t.Parallel()
	base := folders(t, "home", "elsewhere")
	for _, path := range []string{"../elsewhere", "/etc", "a/../../elsewhere"} {
		m := codex()
		m.Requirements.LocalPaths.HomeDefault = path
		if got, err := (&Resolver{Home: filepath.Join(base, "home")}).Resolve(m, nil, nil); abi.CodeOf(err) != abi.CodeRootMissing {
			t.Errorf("%s: abi.CodeOf(err): got %v %v, want %v", path, got, err, abi.CodeRootMissing)
		}
	}
}

func TestManifestWithoutPaths(t *testing.T) {
	t.Parallel()
	base := folders(t, "in")
	m := &abi.Manifest{ConnectorKey: "notes"}
	if _, err := (&Resolver{}).Resolve(m, nil, nil); abi.CodeOf(err) != abi.CodeRootMissing {
		t.Errorf("got %v, want %v", err, abi.CodeRootMissing)
	}
	got, err := (&Resolver{}).Resolve(m, map[string]string{"notes": filepath.Join(base, "in")}, nil)
	if err != nil || len(got) != 1 || got[0].Name != "notes" {
		t.Errorf(`got %v, %v, want no error && len(got) == 1 && got[0].Name == "notes"`, got, err)
	}
}

// The home root goes by its connector's key in either spelling.
func TestHomeRootByAnotherSpelling(t *testing.T) {
	t.Parallel()
	base := folders(t, "in")
	m := &abi.Manifest{ConnectorKey: "notes-export"}
	got, err := (&Resolver{}).Resolve(m, map[string]string{"notes_export": filepath.Join(base, "in")}, nil)
	if err != nil || len(got) != 1 || got[0].Name != "notes-export" {
		t.Errorf("got %v, %v, want one root named notes-export", got, err)
	}
}

func TestHostileNamesCannotCollideOrEscape(t *testing.T) {
	t.Parallel()
	m := codex()
	m.Requirements.LocalPaths.Paths = []abi.LocalPath{
		{Name: "../../etc", EnvOverride: "A"}, {Name: "codex", EnvOverride: "B"}, {Label: "etc", EnvOverride: "C"},
		{Name: "..", EnvOverride: "D"}, {Name: strings.Repeat("x", 65), EnvOverride: "E"},
	}
	if got, want := strings.Join(rootNames(m), " "), "codex path_1 path_2 etc path_4 path_5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// An empty folder is distinguished: it may be the mount point of a missing disk.
func TestEmptyRoot(t *testing.T) {
	t.Parallel()
	base := folders(t, "home/.codex")
	r := &Resolver{Getenv: func(string) string { return "" }, Home: filepath.Join(base, "home")}
	for _, empty := range []bool{true, false} {
		if !empty {
			if err := os.WriteFile(filepath.Join(base, "home/.codex/x"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		roots, err := r.Resolve(codex(), nil, nil)
		if err != nil || len(roots) != 1 || roots[0].Empty != empty {
			t.Fatalf("%v %+v, want empty %v", err, roots, empty)
		}
	}
}

// A folder that shuts this host's user out is neither missing nor empty, and its refusal says whom to let in.
func TestAFolderThatIsShut(t *testing.T) {
	t.Parallel()
	dir := choice{name: "codex", path: "/shut", origin: OriginFlag}
	for err, want := range map[error]string{
		&os.PathError{Op: "open", Path: "/shut", Err: os.ErrPermission}: "does not let this host's user in",
		&os.PathError{Op: "open", Path: "/shut", Err: os.ErrInvalid}:    "cannot be read",
	} {
		e := unreadable(dir, err)
		if e.Code != abi.CodeRootInvalid || !strings.Contains(e.Message, want) || strings.Contains(e.Hint, "chmod u+rx") != errors.Is(err, os.ErrPermission) {
			t.Errorf("%v: got %q, %q, want that it %s", err, e.Message, e.Hint, want)
		}
	}
}
