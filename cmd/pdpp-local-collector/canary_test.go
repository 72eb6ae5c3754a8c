package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forms are a secret as it may stand somewhere: plain, in hexadecimal, in base64
// at each of the three places where it can begin.
func forms(secret string) [][]byte {
	all := [][]byte{[]byte(secret), []byte(hex.EncodeToString([]byte(secret))), []byte(strings.ToUpper(hex.EncodeToString([]byte(secret))))}
	for skip := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", skip) + secret))
		all = append(all, []byte(text[4:len(text)-4]))
	}
	return all
}

func tells(text []byte, secrets ...string) bool {
	for _, secret := range secrets {
		for _, form := range forms(secret) {
			if bytes.Contains(text, form) {
				return true
			}
		}
	}
	return false
}

// found says in which files below dir a secret stands, and how many were read.
func found(t *testing.T, dir string, secrets ...string) (where []string, read int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		read++
		if tells(text, secrets...) {
			where = append(where, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return where, read
}

// arguments returns the processes whose arguments or environment hold a secret, and
// how many could be looked at.
func arguments(secrets ...string) (where []string, looked int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // none where there is no such folder
	for _, dir := range dirs {
		for _, name := range []string{"cmdline", "environ"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				continue // it has ended, or is another's
			}
			looked++
			if tells(text, secrets...) {
				where = append(where, filepath.Join(dir, name))
			}
		}
	}
	return where, looked
}

func TestTheCanaryIsFound(t *testing.T) {
	t.Parallel()
	const secret = "ldt-canary-5f1e09b7"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain": "x" + secret, "hex": hex.EncodeToString([]byte("x" + secret)), "base64": base64.URLEncoding.EncodeToString([]byte("yz" + secret + "x")),
		"innocent": "ldt-canary",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if where, read := found(t, dir, secret); len(where) != 3 || read != 4 {
		t.Errorf("found in %v of %d files", where, read)
	}
}

// Invariant 5: the credential of a device stands in its profile and goes to its
// host; it is in nothing that any command prints or logs, in no other file, and in
// no process's arguments or environment. The code is nowhere once it is used.
func TestTokenIsNowhere(t *testing.T) {
	t.Parallel()
	o := newOwner(t)
	code, err := o.host.code(t.Context(), "scripted", "laptop")
	if err != nil {
		t.Fatal(err)
	}
	if got := o.run(code+"\n", "--log-level", "debug", "enroll", "--base-url", o.host.server.URL, "--code-stdin", "--profile", "mine"); got.status != 0 ||
		tells([]byte(got.out+got.err), code) {
		t.Fatal(got.status, "enrolling failed or tells the code")
	}
	token := o.token("mine")
	if len(token) < 32 || !strings.HasPrefix(token, "ldt") {
		t.Fatal("the profile's credential is none")
	}
	var seen []string
	looked, authorized := 0, 0
	o.host.set(func() {
		o.host.onCall = func(r *http.Request) {
			if r.Header.Get("Authorization") == "Bearer "+token {
				authorized++
			}
			if tells([]byte(r.URL.String()), token) {
				seen = append(seen, "an address")
			}
			where, n := arguments(token, code)
			seen, looked = append(seen, where...), looked+n
		}
	})
	say := func(status int, args ...string) {
		t.Helper()
		for _, more := range [][]string{nil, {"--json"}, {"--log-level", "debug", "--log-format", "json"}} {
			got := o.run("", append(append([]string{}, more...), args...)...)
			if got.status != status {
				t.Errorf("%v exits with %d, want %d: %s", args, got.status, status, got.err)
			}
			if tells([]byte(got.out+got.err), token, code) {
				t.Errorf("%v tells a secret", args)
			}
		}
	}
	say(0, "connectors", "accept", "--accept")
	say(0, "run", "--set", "script="+notesScript)
	say(0, "status")
	say(0, "doctor")
	say(0, "recover", "--source-instance-id", o.enrolledSource())
	say(0, "retry-dead-letters")
	say(0, "prune-sent", "--keep", "1")
	say(0, "compact")
	say(0, "connectors")
	say(2, "status", "--profile", "mine", "--source-instance-id", "si_other")
	o.host.set(func() { o.host.refusals = []refusal{{"/", http.StatusUnauthorized, "device_unauthorized"}} })
	say(4, "run", "--set", "script="+notesScript)
	o.host.set(func() { o.host.refusals = []refusal{{"/", http.StatusForbidden, "device_forbidden"}} })
	say(4, "logout")
	o.host.set(func() { o.host.down, o.host.refusals = true, nil })
	say(4, "run", "--set", "script="+notesScript)
	say(4, "logout")
	o.host.set(func() { o.host.onCall = nil }) // what it wrote is read from here on
	if len(seen) > 0 || authorized == 0 {
		t.Errorf("in %d requests the secret stands in %v", authorized, seen)
	}
	if looked == 0 {
		t.Log("there are no processes to look at on this system")
	}
	profile := filepath.Join(o.home, ".config", "pdpp", "collectors", "mine.env")
	if where, read := found(t, o.home, token, code); len(where) != 1 || where[0] != profile || read < 3 { // the outbox and the module
		t.Errorf("of %d files the secret stands in %v", read, where)
	}
	o.host.set(func() { o.host.down = false })
	if got := o.run("", "logout"); got.status != 0 || tells([]byte(got.out+got.err), token) {
		t.Error(got.status, "logging out failed or tells the credential")
	}
	if where, _ := found(t, o.home, token, code); len(where) > 0 {
		t.Errorf("after logging out the secret stands in %v", where)
	}
}

func (o *owner) enrolledSource() string {
	o.t.Helper()
	src, err := o.host.source(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	return src.ID
}
