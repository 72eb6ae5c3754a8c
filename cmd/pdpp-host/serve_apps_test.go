package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/described/whole"
)

const appsManifest = `{"connector_id":"https://example.org/notes","connector_key":"notes","display_name":"Notes","version":"1.0.0","streams":[
{"name":"notes","primary_key":["id"],"schema":{"required":["id"],"properties":{"id":{"type":"string"},"title":{"type":"string"}}}}]}`

// ownerOfApps speaks to a host that serves as its owner's program does.
type ownerOfApps struct {
	*testing.T

	base, token string
}

// answerHead is the head of an answer.
type answerHead struct {
	status int
	header http.Header
}

// asks returns the head of an answer, and reads its body into a value that is not nil.
func (o *ownerOfApps) asks(method, path, token, body string, into any, headers ...string) answerHead {
	o.Helper()
	r, err := http.NewRequestWithContext(o.Context(), method, o.base+path, strings.NewReader(body))
	if err != nil {
		o.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := whole.Transport(o, http.DefaultTransport).RoundTrip(r)
	if err != nil {
		o.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		o.Fatal(err)
	}
	if into != nil && json.Unmarshal(text, into) != nil {
		o.Fatalf("%s %s: got %d %s, want JSON", method, path, answer.StatusCode, text)
	}
	return answerHead{answer.StatusCode, answer.Header}
}

// servesNotes has a host serve a new store of notes, and returns its home, its owner and its process.
func servesNotes(t *testing.T, manifest string, notes ...string) (home string, o *ownerOfApps, p *servingProcess) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a program")
	}
	home, o = t.TempDir(), &ownerOfApps{T: t, token: "pdpp_ot_of-this-test-alone"}
	storeOf(t, home, o.token, manifest, notes...)
	p = serveIn(t, home, "--listen", "127.0.0.1:0")
	o.base = "http://" + p.at
	return home, o, p
}

// twoNotes are records of appsManifest.
var twoNotes = []string{`{"id":"a","title":"x"}`, `{"id":"b","title":"x"}`}

// storeOf makes a store with notes of a manifest, and a token of its owner's.
func storeOf(t *testing.T, home, token, manifest string, notes ...string) {
	t.Helper()
	data := filepath.Join(home, ".local", "share", "pdpp")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := storage.Open(t.Context(), storage.Options{Path: filepath.Join(data, "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(token))
	c, err := s.EnsureConnection(t.Context(), "mine", "notes")
	if err == nil { // nobody asks a host without an owner for a grant
		err = errors.Join(s.OfferLink(t.Context(), "code", time.Now().Add(time.Hour), false), s.UseLink(t.Context(), "code", "no password", nil, storage.Session{ID: "ses_1", SHA256: "none"}))
	}
	if err == nil {
		err = errors.Join(s.PinPlugin(t.Context(), c.ID, strings.Repeat("a", 64), []byte(manifest)),
			s.NewToken(t.Context(), storage.Token{ID: "tok_1", SHA256: hex.EncodeToString(sum[:]), Name: "test", Scope: "manage", Expires: time.Now().Add(time.Hour)}))
	}
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.BeginRun(t.Context(), storage.NewRun{
		RunID: "run1", ConnectionID: c.ID, Connector: "notes", Version: "1.0.0", ModuleSHA256: strings.Repeat("a", 64), Mode: abi.ModeIncremental,
		Bookmark: storage.BookmarkIncremental, Holder: "holder", Streams: []string{"notes"}, LeaseTTL: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	batch := w.NewBatch()
	for _, text := range notes {
		var note struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal([]byte(text), &note); err != nil {
			t.Fatal(err)
		}
		batch.Add(0, []byte(note.ID), []byte(text), []byte("2026-03-01T12:00:00Z"), false)
	}
	if err := errors.Join(w.Write(t.Context(), batch), w.Finish(t.Context(), storage.Outcome{Status: "succeeded"}), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// RD-38, RD-45, RD-54, RD-56: an OAuth client that knows the address alone finds the way on a
// host that serves, gets its token by a code, and reads; its owner sees what was read, also
// what was read in the last second before the host stopped.
func TestServeAnApp(t *testing.T) {
	t.Parallel()
	home, o, p := servesNotes(t, appsManifest, twoNotes...)

	var index struct {
		Links map[string]string `json:"links"`
	}
	o.asks(http.MethodGet, "/", "", "", &index, "Accept", "application/json")
	var resource struct {
		Servers []string `json:"authorization_servers"`
	}
	o.asks(http.MethodGet, strings.TrimPrefix(index.Links["well_known"], o.base), "", "", &resource)
	if len(resource.Servers) != 1 || resource.Servers[0] != o.base {
		t.Fatalf("got the servers %v by the index %v, want %s", resource.Servers, index.Links, o.base)
	}
	if got := o.asks(http.MethodGet, "/v1/streams", "", "", nil).header.Get("WWW-Authenticate"); got != `Bearer resource_metadata="`+index.Links["well_known"]+`", scope="pdpp:read"` {
		t.Errorf("without a token: got the challenge %s, want where to ask for one", got)
	}
	var server struct {
		Authorize string `json:"authorization_endpoint"`
		Token     string `json:"token_endpoint"`
	}
	o.asks(http.MethodGet, "/.well-known/oauth-authorization-server", "", "", &server)
	var client struct {
		ID string `json:"client_id"`
	}
	o.asks(http.MethodPost, "/oauth/register", "", `{"client_name":"An app","redirect_uris":["http://127.0.0.1/back"]}`, &client)
	conf := &oauth2.Config{ClientID: client.ID, RedirectURL: "http://127.0.0.1:9/back", Endpoint: oauth2.Endpoint{AuthURL: server.Authorize, TokenURL: server.Token}}
	verifier := oauth2.GenerateVerifier()
	begin := o.asks(http.MethodGet, strings.TrimPrefix(conf.AuthCodeURL("s", oauth2.S256ChallengeOption(verifier)), o.base), "", "", nil).header.Get("Location")
	if got := o.asks(http.MethodGet, begin, "", "", nil); got.status != http.StatusOK || !strings.HasPrefix(begin, "/consent/begin?request_uri=") {
		t.Fatalf("the browser is sent to %s, which is answered %d, want a page", begin, got.status)
	}

	var waiting struct {
		Data []struct {
			ID string `json:"request_id"`
		} `json:"data"`
	}
	o.asks(http.MethodGet, "/v1/owner/grant-requests", o.token, "", &waiting)
	if len(waiting.Data) != 1 {
		t.Fatalf("got %d requests, want the app's", len(waiting.Data))
	}
	request := "/v1/owner/grant-requests/" + waiting.Data[0].ID
	var review struct {
		Revision string `json:"approval_review_revision"`
	}
	o.asks(http.MethodPost, request+"/review", o.token, `{"connector":"notes","streams":[{"name":"notes"}]}`, &review)
	var made struct {
		GrantID string `json:"grant_id"`
		Back    string `json:"redirect_to"`
	}
	o.asks(http.MethodPost, request+"/approve", o.token, `{"approval_review_revision":"`+review.Revision+`"}`, &made)
	back, err := url.Parse(made.Back)
	if err != nil || back.Host != "127.0.0.1:9" || back.Query().Get("iss") != o.base {
		t.Fatalf("the browser goes back to %s, %v, want to the app", made.Back, err)
	}
	token, err := conf.Exchange(context.WithValue(t.Context(), oauth2.HTTPClient, &http.Client{Transport: whole.Transport(t, http.DefaultTransport)}), back.Query().Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := o.asks(http.MethodGet, "/v1/streams/notes/records", token.AccessToken, "", nil); got.status != http.StatusOK {
			t.Errorf("got %d, want the app to read", got.status)
		}
	}
	o.asks(http.MethodGet, "/v1/streams/other/records", token.AccessToken, "", nil)
	if code, log := p.end(t); code != 0 || strings.Contains(log, token.AccessToken) || strings.Contains(log, back.Query().Get("code")) {
		t.Errorf("got the exit code %d and the log %s, want 0 and no secret", code, log)
	}
	run := func(args ...string) string {
		cmd := exec.Command("pdpp-host", args...)
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: got %v %s, want a success", args, err, out)
		}
		return string(out)
	}
	if got := run("grants", "show", made.GrantID); !strings.Contains(got, "it has read: 6 records of notes since ") || !strings.Contains(got, "; last read just now") {
		t.Errorf("got %s, want 6 records", got)
	}
	if got := run("grants", "reads", made.GrantID); strings.Count(got, "\n") != 5 || !strings.Contains(got, "grant_stream_not_allowed") {
		t.Errorf("got %s, want four reads and their titles", got)
	}
	run("grants", "limit", made.GrantID, "5")
	if got := run("grants", "show", made.GrantID, "--json"); !strings.Contains(got, `"hourly_bytes_limit":5242880`) {
		t.Errorf("got %s, want the bound", got)
	}
}

// RD-45.3, RD-58.1, section 13.7: the SDK's own client of MCP, which knows the address of the tools
// alone, registers, sends its owner's browser, gets its token by the code and calls a tool.
func TestServeAModel(t *testing.T) {
	t.Parallel()
	_, o, p := servesNotes(t, appsManifest, twoNotes...)
	opened := 0
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "A model", RedirectURIs: []string{"http://127.0.0.1:9/back"}, GrantTypes: []string{"authorization_code", "refresh_token"}, TokenEndpointAuthMethod: "none",
		}},
		AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			opened++
			begin := o.asks(http.MethodGet, strings.TrimPrefix(args.URL, o.base), "", "", nil, "Sec-Fetch-Dest", "document").header.Get("Location")
			page, err := url.Parse(begin)
			if err != nil {
				return nil, err
			}
			uri := page.Query().Get("request_uri")
			var review struct {
				Revision string `json:"approval_review_revision"`
			}
			o.asks(http.MethodPost, "/consent/review", o.token, `{"request_uri":"`+uri+`","selections":{"streams":[{"name":"notes","fields":["title"]}],"instance_ids":{"notes":["mine"]}}}`, &review)
			var made struct {
				Back string `json:"redirect_to"`
			}
			o.asks(http.MethodPost, "/consent/approve", o.token, `{"request_uri":"`+uri+`","approval_review_revision":"`+review.Revision+`"}`, &made)
			back, err := url.Parse(made.Back)
			if err != nil {
				return nil, err
			}
			q := back.Query()
			return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: o.base + "/mcp", OAuthHandler: handler}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "aggregate", Arguments: map[string]any{"stream": "notes", "metric": "count"}})
	if err != nil || r.IsError || opened != 1 {
		t.Errorf("got %+v, %v, and the browser was sent %d times, want an answer after one", r, err, opened)
	} else if text, ok := r.Content[0].(*mcp.TextContent); !ok || !strings.Contains(text.Text, `{"count":2}`) {
		t.Errorf("got %+v, want the two notes to be counted", r.Content[0])
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if code, log := p.end(t); code != 0 {
		t.Errorf("got the exit code %d and the log %s, want 0", code, log)
	}
}
