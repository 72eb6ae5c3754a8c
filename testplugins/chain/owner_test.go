package chain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
)

// owner is somebody with a home, the program, and one provider.
type owner struct {
	t          *testing.T
	b          *built
	home, data string
	url        string // of the provider
	env        []string
}

// newOwner gives an owner a provider, and the secrets for it in the environment.
func newOwner(t *testing.T, provider http.Handler, variables map[string]string) *owner {
	t.Helper()
	b, err := build()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(provider)
	t.Cleanup(server.Close)
	o := &owner{t: t, b: b, home: t.TempDir(), url: server.URL}
	o.data = filepath.Join(o.home, "data")
	if err := os.Mkdir(o.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(b.cache, filepath.Join(o.data, "cache")); err != nil {
		t.Fatal(err)
	}
	fresh.Store(t, filepath.Join(o.data, "pdpp.sqlite"))
	o.setenv("HOME", o.home)
	o.setenv("PDPP_CREDENTIALS_KEY", "file")
	o.setenv("PDPP_NETWORK_ALLOW_PRIVATE", strings.TrimPrefix(server.URL, "http://"))
	for name, value := range variables {
		o.setenv(name, value)
	}
	return o
}

func (o *owner) setenv(name, value string) {
	o.env = slices.DeleteFunc(o.env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	o.env = append(o.env, name+"="+value)
}

// said is the outcome of a command.
type said struct {
	status         int
	stdout, stderr []byte
}

func (o *owner) command(args ...string) *exec.Cmd {
	cmd := exec.Command(o.b.host, append([]string{"--data-dir", o.data, "--plugins", o.b.plugins}, args...)...)
	cmd.Env, cmd.Dir = o.env, o.home
	return cmd
}

// says runs a command and checks its exit status.
func (o *owner) says(status int, args ...string) said {
	o.t.Helper()
	var out, problems bytes.Buffer
	cmd := o.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &problems
	_ = cmd.Run() // the status is looked at
	s := said{cmd.ProcessState.ExitCode(), out.Bytes(), problems.Bytes()}
	if s.status != status {
		o.t.Fatalf("%s exits with %d, want %d\n%s%s", strings.Join(args, " "), s.status, status, s.stdout, s.stderr)
	}
	return s
}

// asks runs a command with --json and reads its result.
func (o *owner) asks(status int, result any, args ...string) said {
	o.t.Helper()
	s := o.says(status, append(args, "--json")...)
	var whole struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(s.stdout, &whole); err != nil {
		o.t.Fatalf("%v: %v\n%s%s", args, err, s.stdout, s.stderr)
	}
	if err := json.Unmarshal(whole.Result, result); err != nil && string(whole.Result) != "null" {
		o.t.Fatalf("%v: %v\n%s", args, err, s.stdout)
	}
	return s
}

// ran is the part of a run's result that the tests look at.
type ran struct {
	RunID   string `json:"run_id"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Records map[string]struct {
		New, Changed, Unchanged, Deleted, Rejected int64
	} `json:"records"`
	Error *struct {
		Code, Message, Hint string
		Retryable           bool
	} `json:"error"`
	Checkpoints struct {
		Committed []string `json:"committed"`
		Withheld  []struct{ Stream, Reason string }
	} `json:"checkpoints"`
	Gaps      []struct{ Stream, Key, Reason, Class string } `json:"gaps"`
	KnownGaps []struct{ Kind, Reason, Message string }      `json:"known_gaps"`
	Requests  struct {
		Sent, Retried, Throttled int64
	} `json:"requests"`
}

// runs has a connector run against the provider.
func (o *owner) runs(status int, connector string, args ...string) ran {
	o.t.Helper()
	var r ran
	o.asks(status, &r, append([]string{"run", connector, "--no-input", "--accept", "--set", "base_url=" + o.url}, args...)...)
	return r
}

// counts sums a run's records over all streams.
func (r *ran) counts() (changes string) {
	var fresh, changed, deleted, rejected int64
	for _, c := range r.Records {
		fresh, changed, deleted, rejected = fresh+c.New, changed+c.Changed, deleted+c.Deleted, rejected+c.Rejected
	}
	return fmt.Sprintf("%d new, %d changed, %d deleted, %d rejected", fresh, changed, deleted, rejected)
}

// exported is a line of an export.
type exported struct {
	Key     string         `json:"key"`
	Seq     int64          `json:"seq"`
	Deleted bool           `json:"deleted"`
	Data    map[string]any `json:"data"`
}

// export reads a stream, the deleted ones too, by key.
func (o *owner) export(connection, stream string) map[string]exported {
	o.t.Helper()
	all := map[string]exported{}
	s := o.says(0, "records", "export", connection, stream, "--deleted")
	for line := range bytes.Lines(s.stdout) {
		var e exported
		if err := json.Unmarshal(line, &e); err != nil {
			o.t.Fatalf("%v: %s", err, line)
		}
		if _, twice := all[e.Key]; twice {
			o.t.Errorf("%s %s is exported twice", stream, e.Key)
		}
		all[e.Key] = e
	}
	return all
}

// live counts the records of an export that are not deleted.
func live(all map[string]exported) int {
	n := 0
	for _, e := range all {
		if !e.Deleted {
			n++
		}
	}
	return n
}

// shown is the part of `runs show` that the tests look at.
type shown struct {
	Events []struct {
		Type   string
		Stream string
		Data   json.RawMessage
	} `json:"events"`
	Gaps     []struct{ Stream, Key, Reason, Class, Status string } `json:"gaps"`
	Coverage json.RawMessage                                       `json:"coverage"`
}

func (o *owner) shows(run string) shown {
	o.t.Helper()
	var v shown
	o.asks(0, &v, "runs", "show", run)
	return v
}

// openGaps is how many details a connection still has to fetch.
func (o *owner) openGaps(connection string) int {
	o.t.Helper()
	var v struct {
		OpenGaps *int `json:"open_gaps"`
	}
	o.asks(0, &v, "connections", "show", connection)
	if v.OpenGaps == nil {
		return 0
	}
	return *v.OpenGaps
}
