package console

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// RD-44, RD-48.1: a program that knows the address alone asks the running host and gets its
// token once its owner has approved on the command line; one that does not wait has its token
// printed, once and alone. Neither token, nor what led to it, is in any file of the host's.
func TestAProgramConnects(t *testing.T) {
	t.Parallel()
	w := &world{owner: collected(t)}
	w.cookie = w.owner.Claim() // it serves from then on
	details := `[{"type":"https://pdpp.dev/data-access","source":{"id":"https://github.com/pdpp-host/pdpp-host/connectors/github"},"access_mode":"continuous",` +
		`"purpose_code":"https://example.org/why","streams":[{"name":"repositories"}]}]`
	push := func() (uri, request, revision string) {
		t.Helper()
		var pushed struct {
			URI string `json:"request_uri"`
		}
		w.program(t, "/oauth/par", `{"client_id":"pdpp_cli","authorization_details":`+details+`}`, &pushed)
		var asking struct {
			Requests []struct {
				ID string `json:"request_id"`
			}
		}
		w.owner.Asks(0, &asking, "grants", "requests")
		var reviewed struct {
			Revision string `json:"approval_review_revision"`
		}
		request = asking.Requests[0].ID
		w.owner.Asks(0, &reviewed, "grants", "review", request)
		return pushed.URI, request, reviewed.Revision
	}
	_, request, revision := push()
	out, err := w.owner.Command("grants", "approve", request, "--revision", revision[:12]).Output()
	printed := strings.TrimSpace(string(out))
	if err != nil || !regexp.MustCompile(`^pdpp_ct_[A-Za-z0-9_-]{43}$`).MatchString(printed) {
		t.Fatalf("grants approve prints %q, %v, want the token alone", out, err)
	}
	uri, request, revision := push()
	var attempt struct {
		Polling string `json:"polling_code"`
	}
	w.program(t, "/agent-connect", `{"resource":`+quoted(w.owner.Origin())+`,"client_id":"pdpp_cli","request_uri":`+quoted(uri)+`}`, &attempt)
	var made struct {
		ID    string `json:"grant_id"`
		Token string `json:"token"`
	}
	w.owner.Asks(0, &made, "grants", "approve", request, "--revision", revision)
	if made.Token != "" {
		t.Error("the owner is shown the token of a program that waits, want nobody else to get it")
	}
	var got struct {
		Token string `json:"access_token"`
		Grant string `json:"grant_id"`
	}
	w.answered(t, 200, "/agent-connect/poll", `{"polling_code":`+quoted(attempt.Polling)+`}`, &got)
	if got.Grant != made.ID || !strings.HasPrefix(got.Token, "pdpp_ct_") {
		t.Fatalf("the program got %+v, want the token of %s", got, made.ID)
	}
	if said := w.owner.Says(0, "grants", "show", made.ID); !regexp.MustCompile(`it can read now: [1-9]\d* records? of repositories`).MatchString(said) {
		t.Errorf("grants show says %s, want how many records it can read", said)
	}
	w.owner.Says(0, "grants", "revoke", made.ID)
	if said := w.owner.Says(0, "grants", "list"); !strings.Contains(said, "revoked") || !strings.Contains(said, "holds") {
		t.Errorf("grants list says %s, want one that holds and one that was revoked", said)
	}
	secrets := map[string]string{"the printed token": printed, "the token": got.Token, "the polling code": attempt.Polling, "the address": uri[strings.LastIndex(uri, ":")+1:]}
	looked := 0
	err = filepath.WalkDir(w.owner.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		looked += len(text)
		for name, secret := range secrets {
			if strings.Contains(string(text), strings.TrimPrefix(secret, "pdpp_ct_")) {
				t.Errorf("%s stands in %s, want it nowhere", name, path)
			}
		}
		return err
	})
	if err != nil || looked == 0 {
		t.Errorf("the host's files: read %d bytes, %v, want all of them", looked, err)
	}
	for name, secret := range secrets {
		if strings.Contains(w.owner.Log(), secret) {
			t.Errorf("%s stands in the log, want it nowhere", name)
		}
	}
}
