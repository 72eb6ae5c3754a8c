package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A run that reached a provider is played again with no provider there; and
// Invariant 5: a provider that sends the secrets back, those that it was given
// and those that it was not, gets none of them into the recording.
func TestRecordedNetworkRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds modules")
	}
	const spare = "spare/4c1d-never-sent" // the sender knows nothing of it
	var asked, signed atomic.Int64
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Header.Get("Authorization") == "Bearer "+canary {
			signed.Add(1)
		}
		w.Header().Set("X-Echo", spare)
		fmt.Fprintf(w, "%s %s %s for ada at %s", r.Header.Get("Authorization"), spare, strings.ReplaceAll(spare, "/", `\/`), r.URL.Query().Get("nonce"))
	}))
	defer provider.Close()
	home := t.TempDir()
	built, err := module("fickle")
	if err != nil {
		t.Fatal(err)
	}
	recorded := filepath.Join(home, "run.jsonl")
	program := func(args ...string) (string, error) {
		path, err := exec.LookPath("pdpp-host")
		if err != nil {
			return "", err
		}
		cmd := exec.Command(path, append([]string{"--data-dir", filepath.Join(home, "data")}, args...)...)
		cmd.Env = []string{
			"HOME=" + home, "PDPP_NETWORK_ALLOW_PRIVATE=" + strings.TrimPrefix(provider.URL, "http://"),
			"FICKLE_TOKEN=" + canary, "FICKLE_SPARE=" + spare, "FICKLE_ACCOUNT=ada",
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if said, err := program("plugins", "inspect", built); err != nil || !strings.Contains(said, "token to api.example.com in header Authorization\n") {
		t.Errorf("plugins inspect does not say where the token goes: %v\n%s", err, said)
	}
	if said, err := program("plugins", "accept", built, "--accept"); err != nil {
		t.Fatal(err, said)
	}
	said, err := program("run", built, "--set", "base_url="+provider.URL, "--set", "requests=6", "--set", "slot=api", "--record", recorded)
	if err != nil {
		t.Fatal(err, said)
	}
	sends := "sends token to " + strings.TrimPrefix(provider.URL, "http://") + " and api.example.com in header Authorization"
	if first, _, _ := strings.Cut(said, "\n"); !strings.Contains(first, sends) {
		t.Errorf("the first line is %q, want %q in it", first, sends)
	}
	if asked.Load() != 6 || signed.Load() != 6 {
		t.Errorf("%d requests, %d with the token", asked.Load(), signed.Load())
	}
	text, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if tells(text) || tells([]byte(said)) || strings.Contains(string(text)+said, "never-sent") {
		t.Errorf("the secret stands in\n%s\n%s", text, said)
	}
	if n := strings.Count(string(text), "for ada at "); n != 12 {
		t.Errorf("%d of 12 places where the account stands, which is no secret:\n%s", n, text)
	}
	provider.Close()
	for range 2 {
		if said, err = program("plugin", "replay", recorded, built); err != nil || !strings.HasPrefix(said, "identical  fickle") {
			t.Error(err, said)
		}
	}
	if asked.Load() != 6 {
		t.Error("the replay reached the provider")
	}
}
