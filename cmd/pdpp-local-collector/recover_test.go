package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

// stuck is an owner whose host has refused the end of a run for good, and then
// changed its mind.
func stuck(t *testing.T, args ...string) (*owner, *profile.Profile) {
	t.Helper()
	o := newOwner(t)
	p := o.enroll(o.host, "mine", args...)
	o.host.set(func() {
		o.host.refusals = []refusal{{"terminal-run-commits", http.StatusBadRequest, "invalid_request"}}
	})
	o.must(4, "run", "--set", "script="+notesScript)
	o.host.set(func() { o.host.refusals = nil })
	if c := o.counts(o.lanePath(p)); c.DeadLetter == 0 {
		t.Fatalf("nothing was given up: %+v", c)
	}
	return o, p
}

// files is every file below dir with its hash and the time of its last change.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = fmt.Sprintf("%x %d", sha256.Sum256(text), info.ModTime().UnixNano())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(t *testing.T, before, after map[string]string) {
	t.Helper()
	if !maps.Equal(before, after) {
		t.Errorf("files changed:\n%v\n%v", before, after)
	}
}

// HL-23.11: the dry run says what would be recovered, changes not a byte of the
// outbox, and sends nothing.
func TestRecoverShowsFirst(t *testing.T) {
	t.Parallel()
	o, p := stuck(t)
	before, asked := files(t, o.home), len(o.host.requests())
	for _, more := range [][]string{nil, {"--json"}, {"--log-level", "debug"}} {
		got := o.must(0, append([]string{"recover", "--source-instance-id", p.SourceInstanceID}, more...)...)
		if !strings.Contains(got.out, p.SourceInstanceID) || strings.Contains(got.out, o.home) {
			t.Error(got.out)
		}
	}
	same(t, before, files(t, o.home))
	if n := len(o.host.requests()); n != asked {
		t.Errorf("%v were sent", o.host.requests()[asked:])
	}
	got := o.must(0, "recover", "--source-instance-id", p.SourceInstanceID)
	for _, line := range []string{"nothing was changed and nothing was sent", "queue 1 row again", "run the collector once",
		"do it with: pdpp-local-collector recover --source-instance-id " + p.SourceInstanceID + " --apply"} {
		if !strings.Contains(got.out, line) {
			t.Errorf("%q is missing:\n%s", line, got.out)
		}
	}
	if got := o.must(0, "recover", "--source-instance-id", p.SourceInstanceID, "--json"); !strings.Contains(got.out, `"mode":"dry_run"`) ||
		!strings.Contains(got.out, `"planned":{"requeue_dead_letters":1,`) || !strings.Contains(got.out, `"lifecycle_state":"dead_letter"`) {
		t.Error(got.out)
	}
}

// HL-23.11: applied, it recovers with the same profile's outbox, connector, host
// and credential, although another profile and another outbox are at hand.
func TestRecoverUsesTheProfile(t *testing.T) {
	t.Parallel()
	queue := filepath.Join(t.TempDir(), "own.sqlite")
	o, p := stuck(t, "--queue", queue)
	if p.Queue != queue {
		t.Fatalf("the profile's outbox is %q", p.Queue)
	}
	decoy := startHost(t)
	other := o.lanePath(o.enroll(decoy, "other"))
	before, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.sqlite")
	o.env = []string{profile.EnvQueue + "=" + elsewhere}
	token, toDecoy := o.token("mine"), len(decoy.requests())
	var wrong []string
	called := 0
	o.host.set(func() {
		o.host.onCall = func(r *http.Request) {
			called++
			if r.Header.Get("Authorization") != "Bearer "+token || !strings.Contains(r.URL.Path, p.DeviceID) {
				wrong = append(wrong, r.URL.Path)
			}
		}
	})
	got := o.must(0, "recover", "--source-instance-id", p.SourceInstanceID, "--apply", "--set", "script="+notesScript, "--json")
	if !strings.Contains(got.out, `"mode":"apply"`) || !strings.Contains(got.out, `"outcome":"complete"`) {
		t.Error(got.out)
	}
	if called == 0 || len(wrong) > 0 {
		t.Errorf("of %d requests these are not of the profile: %v", called, wrong)
	}
	if n := len(decoy.requests()); n != toDecoy {
		t.Errorf("another host was asked: %v", decoy.requests()[toDecoy:])
	}
	if c := o.counts(queue); c.DeadLetter+c.Pending+c.Retrying+c.Leased != 0 || c.Succeeded == 0 {
		t.Errorf("%+v", c)
	}
	if _, err := os.Lstat(elsewhere); err == nil {
		t.Error("another outbox was made:", elsewhere)
	}
	if after, err := os.ReadFile(other); err != nil || !bytes.Equal(after, before) {
		t.Error("another outbox was changed:", err)
	}
	if n, err := o.host.records(t.Context(), "notes"); n != 3 || err != nil {
		t.Errorf("the host has %d records, %v", n, err)
	}
}

// HL-23.11: without a profile nothing is taken in its place: it fails, says so,
// makes no outbox, and asks nobody.
func TestRecoverNeverGuesses(t *testing.T) {
	t.Parallel()
	o, p := stuck(t)
	before, asked := files(t, o.home), len(o.host.requests())
	for _, c := range []struct {
		status int
		code   string
		env    []string
		args   []string
	}{
		{3, "profile.missing", nil, []string{"--source-instance-id", "si_nobody"}},
		{3, "profile.missing", nil, []string{"--source-instance-id", "si_nobody", "--apply"}},
		{3, "profile.missing", []string{profile.EnvSourceInstance + "=si_nobody"}, []string{"--apply"}},
		// A credential in the environment names no outbox.
		{3, "profile.missing", []string{
			profile.EnvBaseURL + "=" + o.host.server.URL, profile.EnvDeviceID + "=" + p.DeviceID, profile.EnvDeviceToken + "=ldtx",
			profile.EnvSourceInstance + "=si_nobody", profile.EnvConnector + "=scripted",
		}, []string{"--source-instance-id", "si_nobody", "--apply"}},
	} {
		o.env = c.env
		got := o.must(c.status, append([]string{"recover"}, c.args...)...)
		if !strings.Contains(got.err, c.code) || got.out != "" {
			t.Errorf("%v: %s%s", c.args, got.out, got.err)
		}
	}
	same(t, before, files(t, o.home))
	if n := len(o.host.requests()); n != asked {
		t.Errorf("%v were sent", slices.Clone(o.host.requests()[asked:]))
	}
}

// HL-23.11: where no profile is, the environment may name both the credential and
// the outbox; that is no guess.
func TestRecoverWithTheEnvironmentsOutbox(t *testing.T) {
	t.Parallel()
	o, p := stuck(t)
	token, path := o.token("mine"), o.lanePath(p)
	if err := os.RemoveAll(filepath.Join(o.home, ".config")); err != nil {
		t.Fatal(err)
	}
	credential := []string{
		profile.EnvBaseURL + "=" + p.BaseURL, profile.EnvDeviceID + "=" + p.DeviceID, profile.EnvDeviceToken + "=" + token,
		profile.EnvSourceInstance + "=" + p.SourceInstanceID, profile.EnvConnector + "=" + p.ConnectorID,
		profile.EnvConnectorInstance + "=" + p.ConnectorInstanceID,
	}
	o.env = credential
	o.must(3, "recover", "--source-instance-id", p.SourceInstanceID)
	o.env = append(slices.Clone(credential), profile.EnvQueue+"="+path)
	if got := o.must(0, "recover", "--source-instance-id", p.SourceInstanceID); !strings.Contains(got.out, "queue 1 row again") {
		t.Error(got.out)
	}
	o.must(0, "recover", "--source-instance-id", p.SourceInstanceID, "--apply", "--set", "script="+notesScript)
	// Another source instance's outbox is not taken for this one's.
	o.env = append(slices.Clone(credential[:3]), profile.EnvSourceInstance+"=src_other", profile.EnvConnector+"=scripted", profile.EnvQueue+"="+path)
	if got := o.must(3, "recover", "--source-instance-id", "src_other"); !strings.Contains(got.err, "storage.lane_mismatch") {
		t.Error(got.err)
	}
}
