package console

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// RD-44, RD-48.1, RD-02.3, RD-02.5: a program that knows the address alone asks the running host and gets its
// token once its owner has approved on the command line, reads what was granted by it until the
// owner takes the grant back; one that does not wait has its token
// printed, once and alone. Neither token, nor what led to it, is in any file of the host's.
func TestAProgramConnects(t *testing.T) {
	t.Parallel()
	w := &world{owner: collected(t)}
	w.cookie = w.owner.Claim() // it serves from then on
	details := `[{"type":"https://pdpp.dev/data-access","source":{"id":"https://github.com/pdpp-host/pdpp-host/connectors/github"},"access_mode":"continuous",` +
		`"purpose_code":"https://example.org/why","streams":[{"name":"repositories"}]}]`
	push := func(meanwhile func(uri string)) (uri, request, revision string) {
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
		meanwhile(pushed.URI)
		w.owner.Asks(0, &asking, "grants", "requests")
		var reviewed struct {
			Revision string `json:"approval_review_revision"`
		}
		request = asking.Requests[0].ID
		w.owner.Asks(0, &reviewed, "grants", "review", request)
		return pushed.URI, request, reviewed.Revision
	}
	_, request, revision := push(func(string) {})
	out, err := w.owner.Command("grants", "approve", request, "--revision", revision[:12]).Output()
	printed := strings.TrimSpace(string(out))
	if err != nil || !regexp.MustCompile(`^pdpp_ct_[A-Za-z0-9_-]{43}$`).MatchString(printed) {
		t.Fatalf("grants approve prints %q, %v, want the token alone", out, err)
	}
	var attempt struct {
		Polling string `json:"polling_code"`
	}
	uri, request, revision := push(func(uri string) { // before its owner looks
		w.program(t, "/agent-connect", `{"resource":`+quoted(w.owner.Origin())+`,"client_id":"pdpp_cli","request_uri":`+quoted(uri)+`}`, &attempt)
	})
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
	w.reads(t, got.Token, made.ID)
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

// reads looks as a program that shows a token of a grant, which is revoked in the end.
func (w *world) reads(t *testing.T, token, grantID string) {
	t.Helper()
	get := func(path string) (status int, text string) {
		t.Helper()
		res := w.owner.Sends(http.MethodGet, path, nil, map[string]string{"Authorization": "Bearer " + token})
		return res.Status, res.Body
	}
	var streams, page struct {
		Data []struct {
			Name string `json:"name"`
			ID   string `json:"id"`
		} `json:"data"`
	}
	status, text := get("/v1/streams")
	if err := json.Unmarshal([]byte(text), &streams); err != nil || status != http.StatusOK || len(streams.Data) != 1 || streams.Data[0].Name != "repositories" {
		t.Errorf("the streams are %d %s, want repositories alone", status, text)
	}
	status, text = get("/v1/streams/repositories/records?limit=5")
	if err := json.Unmarshal([]byte(text), &page); err != nil || status != http.StatusOK || len(page.Data) != 5 {
		t.Errorf("the records are %d %s, want five", status, text)
	}
	status, changes := get("/v1/streams/repositories/records?changes_since=beginning")
	if status != http.StatusOK || !strings.Contains(changes, "next_changes_since") {
		t.Errorf("the changes are %d %s, want all and a token to go on with", status, changes)
	}
	_, hidden := get("/v1/streams/issues/records")
	status, none := get("/v1/streams/none/records")
	id := regexp.MustCompile(`req_[a-z0-9]+`)
	if hidden, none = id.ReplaceAllString(hidden, ""), id.ReplaceAllString(none, ""); status != http.StatusForbidden || hidden != strings.ReplaceAll(none, "none", "issues") {
		t.Errorf("a stream that was not granted is answered %s, want what one that is not there is: %d %s", hidden, status, none)
	}
	w.owner.Says(0, "grants", "revoke", grantID)
	for _, path := range []string{"/v1/streams", "/v1/streams/repositories/records"} {
		if status, text := get(path); status != http.StatusForbidden || !strings.Contains(text, `"grant_revoked"`) {
			t.Errorf("%s of a grant that was revoked is answered %d %s, want 403 grant_revoked", path, status, text)
		}
	}
}
