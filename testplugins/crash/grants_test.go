//go:build linux

package crash

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// TestCrashGrants kills a host that serves between the begin and the end of an approval, of a
// code's exchange, of a renewal and of a revocation: no grant is there without the review and the
// event of its approval, no token was given twice, all that a client or the owner was told is
// durable, and no revoked token reads (RD-43.4, RD-47.2, RD-50).
func TestCrashGrants(t *testing.T) { crashGrants(t, file{t}) }

// TestCrashGrantsPostgres is the same with the store on a server.
func TestCrashGrantsPostgres(t *testing.T) { crashGrants(t, startServer(t)) }

const (
	manifest = `{"connector_id":"https://example.org/notes","connector_key":"notes","display_name":"Notes","version":"1.0.0","streams":[` +
		`{"name":"notes","primary_key":["id"],"schema":{"required":["id"],"properties":{"id":{"type":"string"}}}}]}`
	details    = `[{"type":"https://pdpp.dev/data-access","source":{"id":"https://example.org/notes"},"purpose_code":"https://example.org/why","access_mode":"continuous","streams":[{"name":"notes"}]}]`
	home       = "http://127.0.0.1/back"
	verifier   = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	ownerToken = "pdpp_ot_of-this-test-alone"
)

func crashGrants(t *testing.T, store database) {
	t.Helper()
	if testing.Short() {
		t.Skip("kills processes for a while")
	}
	dir := t.TempDir()
	c := &grantClient{
		harness: harness{database: store, t: t, host: build(t, filepath.Join(dir, "pdpp-host"), "cmd/pdpp-host"), plugins: filepath.Join(dir, "plugins"), input: filepath.Join(dir, "x"), cache: filepath.Join(dir, "cache")},
		data:    filepath.Join(dir, "data"), rng: rand.New(rand.NewPCG(*seed, 2)),
	}
	store.fresh(c.data)
	c.prepare()
	length := time.Hour // of the shortest that is not killed
	for range 3 {
		length = min(length, c.cycle(time.Hour))
	}
	met := 0
	for i := range *crashes {
		c.cycle(time.Duration(c.rng.Int64N(int64(length))))
		c.holds(fmt.Sprintf("kill %d", i))
		if c.interrupted {
			met++
		}
	}
	c.checked = 0
	c.holds("at the end")
	t.Logf("%d kills, %d of them in the middle of a flow of %v: %d approvals and %d tokens were told, %d ended ones were refused, %d lost renewals were repeated, %s grants are kept", *crashes, met, length, c.approved, len(c.told), c.refused, c.repeated, strings.Trim(c.query(c.data, "SELECT count(*) FROM grants"), "\x1e"))
	if met == 0 {
		t.Error("no kill met a flow, want one that does")
	}
}

// grantClient is an app, its owner, and what both were told.
type grantClient struct {
	harness

	data, base  string
	rng         *rand.Rand
	client      string
	refresh     string    // the newest refresh token; "": none
	renewed     time.Time // when it was first shown; zero: it was not
	approved    int       // approvals that the owner was told of
	told        []string  // hashes of tokens that the client was given
	checked     int       // how many of them were looked for
	access      string    // the newest access token
	revoked     string    // the access token of one that the owner was told to be ended; "": none
	refused     int       // reads with one
	repeated    int       // renewals that were asked for again, since their answer was lost
	interrupted bool
}

// prepare makes a store with a connection and a token of its owner's.
func (c *grantClient) prepare() {
	c.t.Helper()
	path := filepath.Join(c.data, "pdpp.sqlite")
	for _, variable := range c.env() {
		path = strings.TrimPrefix(variable, "PDPP_STORAGE_DSN=")
	}
	if err := os.MkdirAll(c.plugins, 0o700); err != nil {
		c.t.Fatal(err)
	}
	s, err := storage.Open(c.t.Context(), storage.Options{Path: path, Now: time.Now})
	if err != nil {
		c.t.Fatal(err)
	}
	conn, err := s.EnsureConnection(c.t.Context(), "mine", "notes")
	if err == nil {
		err = s.PinPlugin(c.t.Context(), conn.ID, strings.Repeat("a", 64), []byte(manifest))
	}
	if err == nil {
		err = s.NewToken(c.t.Context(), storage.Token{ID: "tok_1", SHA256: hashed(ownerToken), Name: "test", Scope: "manage", Expires: time.Now().Add(24 * time.Hour)})
	}
	if err == nil { // nobody asks a host without an owner for a grant
		err = errors.Join(s.OfferLink(c.t.Context(), "code", time.Now().Add(time.Hour), false), s.UseLink(c.t.Context(), "code", "no password", nil, storage.Session{ID: "ses_1", SHA256: "none"}))
	}
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func hashed(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// cycle serves, has the app and its owner go on, and kills the host after a while. It returns
// how long the flow took.
func (c *grantClient) cycle(after time.Duration) time.Duration {
	c.t.Helper()
	host := c.serve()
	ended := make(chan error, 1)
	began := time.Now()
	go func() {
		defer close(ended) // what fails the test in there ends it without a word
		ended <- c.flow()
	}()
	var err error
	select {
	case err = <-ended:
	case <-time.After(after):
	}
	took := time.Since(began)
	_ = host.Process.Signal(syscall.SIGKILL)
	_ = host.Wait()
	if took >= after {
		err = <-ended
	}
	if c.t.Failed() {
		c.t.FailNow()
	}
	c.interrupted = err != nil
	if _, cut := errors.AsType[*url.Error](err); err != nil && !cut {
		c.t.Fatal(err)
	}
	return took
}

// serve begins a host, and waits until it answers.
func (c *grantClient) serve() *exec.Cmd {
	c.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.t.Fatal(err)
	}
	at := l.Addr().String()
	_ = l.Close()
	c.base = "http://" + at
	cmd := c.args(c.data, "serve", "--listen", at, "--quiet")
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	for range 1500 {
		answer, err := http.Get(c.base + "/healthz")
		if err == nil {
			_ = answer.Body.Close()
			return cmd
		}
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // another process's work
	}
	c.t.Fatal("the host did not begin to serve within 30 seconds")
	return nil
}

// flow goes on with the token of before, and then from the request of another grant to the
// second renewal of its token. An error of the network is that of a killed host.
func (c *grantClient) flow() error {
	if c.client == "" {
		var made struct {
			ID string `json:"client_id"`
		}
		err := c.sends("/oauth/register", "application/json", `{"client_name":"An app","redirect_uris":["`+home+`"],"grant_types":["authorization_code","refresh_token"]}`, http.StatusCreated, &made)
		if err != nil {
			return err
		}
		c.client = made.ID
	}
	if c.revoked != "" {
		if err := c.reads(c.revoked, http.StatusForbidden); err != nil {
			return err
		}
		c.refused++
	}
	if err := c.goOn(); err != nil {
		return err
	}
	if err := c.refuses(); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(verifier))
	var pushed struct {
		URI string `json:"request_uri"`
	}
	asks := url.Values{"client_id": {c.client}, "response_type": {"code"}, "redirect_uri": {home}, "code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "authorization_details": {details}}
	if err := c.sends("/oauth/par", form, asks.Encode(), http.StatusCreated, &pushed); err != nil {
		return err
	}
	var waiting struct {
		Data []struct {
			ID string `json:"request_id"`
		} `json:"data"`
	}
	if err := c.sends("/v1/owner/grant-requests", "", "", http.StatusOK, &waiting); err != nil {
		return err
	}
	path := "/v1/owner/grant-requests/" + waiting.Data[0].ID
	var review struct {
		Revision string `json:"approval_review_revision"`
	}
	if err := c.sends(path+"/review", "application/json", "{}", http.StatusOK, &review); err != nil {
		return err
	}
	var made struct {
		Grant string `json:"grant_id"`
		Back  string `json:"redirect_to"`
	}
	if err := c.sends(path+"/approve", "application/json", `{"approval_review_revision":"`+review.Revision+`"}`, http.StatusCreated, &made); err != nil {
		return err
	}
	c.approved++
	back, err := url.Parse(made.Back)
	if err != nil {
		return fmt.Errorf("%q is no address", made.Back)
	}
	c.refresh = ""
	if err := c.tokens(url.Values{"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {home}, "code_verifier": {verifier}}); err != nil {
		return err
	}
	for range 2 {
		if err := c.tokens(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {c.refresh}}); err != nil {
			return err
		}
	}
	ended := c.access
	c.refresh = ""
	if err := c.reads(ended, http.StatusOK); err != nil {
		return err
	}
	if err := c.asks(http.MethodDelete, "/v1/owner/grants/"+made.Grant, "", "", "Bearer "+ownerToken, http.StatusOK, new(struct{})); err != nil {
		return err
	}
	c.revoked = ended
	return c.reads(ended, http.StatusForbidden)
}

// refuses has the owner refuse the requests that killed hosts left, since only so many may wait.
func (c *grantClient) refuses() error {
	var left struct {
		Data []struct {
			ID    string `json:"request_id"`
			State string `json:"state"`
		} `json:"data"`
	}
	err := c.sends("/v1/owner/grant-requests", "", "", http.StatusOK, &left)
	for _, r := range left.Data {
		if err == nil && r.State == "pending" {
			err = c.sends("/v1/owner/grant-requests/"+r.ID+"/deny", "application/json", "{}", http.StatusOK, new(struct{}))
		}
	}
	return err
}

// reads has the app read with a token.
func (c *grantClient) reads(token string, want int) error {
	return c.asks(http.MethodGet, "/v1/schema", "", "", "Bearer "+token, want, new(struct{}))
}

const form = "application/x-www-form-urlencoded"

// goOn shows the refresh token of a killed host again. It is renewed, also when the host that was killed had
// renewed it, whose answer was lost (RD-47.2); a minute after it was first shown that is over.
func (c *grantClient) goOn() error {
	if c.refresh == "" {
		return nil
	}
	shown := c.refresh
	used := c.query(c.data, "SELECT 1 FROM grant_refreshes WHERE sha256 = '"+hashed(shown)+"' AND superseded_us > 0") != ""
	if used && time.Since(c.renewed) > storage.RepeatWithin/2 { // on a slow machine either answer is right
		c.refresh = ""
		return nil
	}
	if used {
		c.repeated++
	}
	return c.tokens(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {shown}})
}

func (c *grantClient) tokens(ask url.Values) error {
	ask.Set("client_id", c.client)
	if ask.Has("refresh_token") && c.renewed.IsZero() {
		c.renewed = time.Now()
	}
	var got struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := c.sends("/oauth/token", form, ask.Encode(), http.StatusOK, &got); err != nil {
		return err
	}
	c.told, c.access, c.refresh, c.renewed = append(c.told, hashed(got.Access)), got.Access, got.Refresh, time.Time{}
	return nil
}

// sends asks the host, its owner's routes as the owner; without a media type it asks with GET.
func (c *grantClient) sends(path, media, body string, want int, into any) error {
	method, authorization := http.MethodPost, ""
	if media == "" {
		method = http.MethodGet
	}
	if strings.HasPrefix(path, "/v1/owner/") {
		authorization = "Bearer " + ownerToken
	}
	return c.asks(method, path, media, body, authorization, want, into)
}

func (c *grantClient) asks(method, path, media, body, authorization string, want int, into any) error {
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Close = true // a killed host's connections are not used again
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return &url.Error{Op: "read", URL: path, Err: err}
	}
	if answer.StatusCode != want {
		return fmt.Errorf("%s is answered %d %s, want %d", path, answer.StatusCode, text, want)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &url.Error{Op: "read", URL: path, Err: err}
	}
	return nil
}

// stands is a refresh token that was not taken back because the client asked again for its renewal.
const stands = `(generation = 0 OR shown_sha256 <> '')`

// holds looks for what must not be.
func (c *grantClient) holds(when string) {
	c.t.Helper()
	for what, query := range map[string]string{
		"a grant without its reviewed and approved request": `SELECT g.id FROM grants g LEFT JOIN grant_requests r ON r.id = g.request_id AND r.state = 'approved' AND r.grant_id = g.id AND r.revision <> '' AND r.review = g.review WHERE r.id IS NULL`,
		"an approved request without its grant":             `SELECT r.id FROM grant_requests r LEFT JOIN grants g ON g.request_id = r.id WHERE r.state = 'approved' AND g.id IS NULL`,
		"a grant without the event of its approval":         `SELECT g.id FROM grants g LEFT JOIN (SELECT subject, count(*) AS n FROM audit WHERE operation = 'grants.approve' AND outcome = 'done' GROUP BY subject) a ON a.subject = g.request_id WHERE coalesce(a.n, 0) <> 1`,
		"a token without the event of its exchange":         `SELECT t.grant_id FROM grant_tokens t LEFT JOIN (SELECT subject, count(*) AS n FROM audit WHERE operation = 'grants.redeem' GROUP BY subject) a ON a.subject = t.grant_id WHERE coalesce(a.n, 0) <> 1`,
		"tokens of a request that were not given":           `SELECT r.id FROM grant_requests r WHERE (r.taken_us > 0) <> EXISTS (SELECT 1 FROM grant_tokens t WHERE t.grant_id = r.grant_id)`,
		"a generation that was given twice":                 `SELECT grant_id FROM grant_refreshes WHERE ` + stands + ` GROUP BY grant_id, generation HAVING count(*) > 1`,
		"a grant with two newest refresh tokens":            `SELECT grant_id FROM grant_refreshes GROUP BY grant_id HAVING sum(CASE WHEN superseded_us = 0 THEN 1 ELSE 0 END) <> 1`,
		"a renewal without its token, or with two":          `SELECT f.grant_id FROM grant_refreshes f WHERE ` + stands + ` GROUP BY f.grant_id HAVING count(*) <> (SELECT count(*) FROM grant_tokens t WHERE t.grant_id = f.grant_id)`,
	} {
		if got := c.query(c.data, query); got != "" {
			c.t.Errorf("%s: got %s: %q, want none", when, what, got)
		}
	}
	if got := c.query(c.data, fmt.Sprintf("SELECT n FROM (SELECT count(*) AS n FROM grants) AS all_of_them WHERE n < %d", c.approved)); got != "" {
		c.t.Errorf("%s: got fewer grants than the %d that the owner was told of", when, c.approved)
	}
	told := c.told[c.checked:] // the others are looked for at the end
	if len(told) == 0 {
		return
	}
	if got := c.query(c.data, "SELECT count(*) FROM grant_tokens WHERE sha256 IN ('"+strings.Join(told, "','")+"')"); got != fmt.Sprintf("%d\x1e", len(told)) {
		c.t.Errorf("%s: got %q of the tokens that a client was given, want all %d", when, got, len(told))
	}
	c.checked = len(c.told)
}
