package bed

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Owner is somebody with a home and the program.
type Owner struct {
	Home, Data, Plugins string

	t       testing.TB
	program string
	env     []string
	private []string // addresses of providers
	serving *Serving
	address string // of Serving, once there is one
}

// New gives an owner a home with these connectors.
func New(t testing.TB, connectors ...string) *Owner {
	t.Helper()
	home := t.TempDir()
	o := &Owner{Home: home, Data: filepath.Join(home, "data"), Plugins: filepath.Join(home, "plugins"), t: t, program: Program(t)}
	o.must(os.Mkdir(o.Plugins, 0o700))
	o.must(prepare(o.Data))
	o.Setenv("HOME", home)
	o.Setenv("PDPP_CREDENTIALS_KEY", "file")
	for _, name := range connectors {
		o.Install(name, Module(t, name))
	}
	return o
}

func (o *Owner) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// Install puts a module into the plugins folder, in the place of the one of that name.
func (o *Owner) Install(name, path string) {
	o.t.Helper()
	text, err := os.ReadFile(path)
	o.must(err)
	o.must(os.WriteFile(filepath.Join(o.Plugins, name+".wasm"), text, 0o600)) //nolint:gosec // the test's own folder
}

// Setenv sets a variable of the commands that follow.
func (o *Owner) Setenv(name, value string) {
	o.env = slices.DeleteFunc(o.env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	o.env = append(o.env, name+"="+value)
}

// Provider serves a provider on this machine, and lets the host reach it. It returns its
// origin.
func (o *Owner) Provider(h http.Handler) string {
	o.t.Helper()
	s := httptest.NewServer(h)
	o.t.Cleanup(s.Close)
	o.private = append(o.private, strings.TrimPrefix(s.URL, "http://"))
	o.Setenv("PDPP_NETWORK_ALLOW_PRIVATE", strings.Join(o.private, ","))
	return s.URL
}

// Command is a command of the owner's.
func (o *Owner) Command(args ...string) *exec.Cmd {
	cmd := exec.Command(o.program, append([]string{"--data-dir", o.Data, "--plugins", o.Plugins}, args...)...) //nolint:noctx,gosec // of this tree
	cmd.Env, cmd.Dir = o.env, o.Home
	return cmd
}

// Says runs a command, checks its exit status and returns its output.
func (o *Owner) Says(status int, args ...string) string {
	o.t.Helper()
	return o.Tells("", status, args...)
}

// Tells is Says of a command that reads a text.
func (o *Owner) Tells(input string, status int, args ...string) string {
	o.t.Helper()
	var out, problems bytes.Buffer
	cmd := o.Command(args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &problems
	_ = cmd.Run() // the status is looked at
	if got := cmd.ProcessState.ExitCode(); got != status {
		o.t.Fatalf("%s exits with %d, want %d\n%s%s", strings.Join(args, " "), got, status, out.String(), problems.String())
	}
	return out.String()
}

// Asks runs a command with --json and reads its result.
func (o *Owner) Asks(status int, result any, args ...string) {
	o.t.Helper()
	out := o.Says(status, append(args, "--json")...)
	var whole struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal([]byte(out), &whole); err != nil {
		o.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	if err := json.Unmarshal(whole.Result, result); err != nil && string(whole.Result) != "null" {
		o.t.Fatalf("%v: %v\n%s", args, err, out)
	}
}
