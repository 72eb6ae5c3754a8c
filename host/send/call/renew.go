package call

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

const (
	// early is how long before its expiry an access token is renewed, so that it is
	// still valid on arrival; a tenth of a short lifetime.
	early = 30 * time.Second
	// pause is how long after a renewal another refusal does not cause the next one:
	// an address that refuses every token must not cause a storm of renewals.
	pause = time.Minute
	// maxTokenAnswer bounds a token endpoint's answer.
	maxTokenAnswer = 64 << 10
	// grace is how long a renewal continues after its run was stopped: the provider
	// may already have replaced the refresh token, and the owner would have to sign in
	// again if the new one were lost.
	grace = 10 * time.Second
)

// tokenAnswer is a token endpoint's answer (RFC 6749, 5.1 and 5.2).
type tokenAnswer struct {
	AccessToken  string          `json:"access_token"`
	RefreshToken string          `json:"refresh_token"`
	ExpiresIn    json.RawMessage `json:"expires_in"` // seconds; some send a string
	Error        string          `json:"error"`
}

// tokenErrors are the errors of RFC 6749, 5.2. Other texts are not repeated.
var tokenErrors = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
}

// renew obtains a new access token for slot in place of the one of generation used.
// Only one renewal of a field runs at a time; a caller that waited for it finds a
// newer token and makes no renewal of its own. refused reports that the provider
// rejected the old token. If that token was renewed a moment ago, or was renewed and
// has never been accepted, the token is not at fault: it is kept, and renewed is
// false.
func (s *Session) renew(ctx context.Context, slot *slot, used int, refused bool) (renewed bool, err error) {
	h := s.keys.fields[slot.Field]
	select {
	case <-h.turn:
	case <-ctx.Done():
		return false, interrupted(ctx)
	}
	defer func() { h.turn <- struct{}{} }()
	if ctx.Err() != nil { // a renewal in progress is finished, but none is started
		return false, interrupted(ctx)
	}
	s.keys.mu.Lock()
	newer, lost := h.generation != used, h.lost
	h.barred = h.barred || refused && h.unproven && !newer
	recent := h.unproven || !h.renewed.IsZero() && s.options.Clock.Now().Sub(h.renewed) < pause
	s.keys.mu.Unlock()
	switch {
	case newer:
		return true, nil
	case lost != nil:
		return false, lost
	case refused && recent:
		return false, nil
	}
	ctx, end := withGrace(ctx, s.options.Clock)
	defer end()
	answer, err := s.askToken(ctx, slot)
	if err == nil {
		err = s.storeToken(ctx, slot, answer)
	}
	if err != nil && s.recordStop(err) == nil && abi.CodeOf(err) != abi.CodeInterrupted {
		// No later attempt of this run can change the result, so there is no storm of
		// renewals.
		s.keys.mu.Lock()
		h.lost = err
		s.keys.mu.Unlock()
	}
	return err == nil, err
}

func interrupted(ctx context.Context) error {
	return abi.NewError(abi.CodeInterrupted, "the request was cancelled", "run it again").Wrap(context.Cause(ctx))
}

// withGrace returns a context that ends grace after ctx does.
func withGrace(ctx context.Context, clock send.Clock) (context.Context, func()) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		_ = clock.Sleep(longer, grace) // or until the renewal is over
		cancel(context.Cause(ctx))
	})
	return longer, func() {
		cancel(nil)
		if !stop() {
			<-ended
		}
	}
}

// askToken makes the request of RFC 6749, section 6. Client authentication is in the
// body, as most providers want it. A provider that rejects that is asked once more
// with a header (section 2.3.1 has both).
func (s *Session) askToken(ctx context.Context, slot *slot) (*tokenAnswer, error) {
	o := slot.OAuth
	var values [3]string
	for i, field := range []string{o.RefreshField, o.ClientIDField, o.ClientSecretField} {
		if field == "" {
			continue
		}
		value, ok, err := s.keys.readStore(ctx, field)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, missingCredential(field)
		}
		values[i] = value
	}
	refresh, id, secret := values[0], values[1], values[2]
	s.keys.hide(refresh)
	s.keys.hide(secret)
	form := []string{"grant_type", "refresh_token", "refresh_token", refresh, "client_id", id}
	if secret == "" {
		resp, err := s.postToken(ctx, slot, "", form...)
		return readToken(resp, err)
	}
	resp, err := s.postToken(ctx, slot, "", append(form, "client_secret", secret)...)
	answer, err := readToken(resp, err)
	if answer != nil && answer.Error == "invalid_client" || err != nil && resp != nil && resp.Status == http.StatusUnauthorized {
		basic := basicPair(url.QueryEscape(id), url.QueryEscape(secret))
		s.keys.hide(basic)
		resp, err = s.postToken(ctx, slot, "Basic "+basic, form[:4]...)
		answer, err = readToken(resp, err)
	}
	return answer, err
}

func (s *Session) postToken(ctx context.Context, slot *slot, authorization string, form ...string) (*send.Response, error) {
	h := http.Header{
		"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}, "User-Agent": {s.agent},
	}
	if authorization != "" {
		h["Authorization"] = []string{authorization}
	}
	c := &call{body: formOf(form...), renews: true}
	c.request = &http.Request{
		Method: http.MethodPost, URL: slot.token, Header: h, Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	defer s.wire.release(c)
	return s.do(ctx, c)
}

// readToken evaluates a token endpoint's answer. For invalid_client it returns the
// answer together with the error.
func readToken(resp *send.Response, err error) (*tokenAnswer, error) {
	if err != nil {
		return nil, err
	}
	a := new(tokenAnswer)
	if len(resp.Body) > maxTokenAnswer || json.Unmarshal(resp.Body, a) != nil {
		*a = tokenAnswer{}
	}
	said := "status " + strconv.Itoa(resp.Status)
	if slices.Contains(tokenErrors, a.Error) {
		said = a.Error
	}
	switch {
	case a.Error == "invalid_grant":
		return a, abi.NewError(CodeCredentialExpired, "the sign-in has expired: the provider does not renew it any more",
			"sign in again")
	case resp.Status/100 != 2 || a.Error != "":
		return a, abi.NewError(CodeRenewalRefused, "the provider refused to renew the sign-in: "+said, "sign in again, or check the client's own credentials")
	case a.AccessToken == "" || !fits(a.AccessToken) || !fits(a.RefreshToken):
		return a, abi.NewError(CodeRenewalRefused, "the provider's answer to the renewal holds no usable access token", "sign in again")
	}
	return a, nil
}

// fits reports whether a token is valid in a header and in a store.
func fits(token string) bool {
	return len(token) <= 16<<10 && strings.IndexFunc(token, func(r rune) bool { return r < ' ' || r >= 0x7f }) < 0
}

// storeToken stores a renewed token durably before it is used: a refresh token that was
// replaced and lost would lock the owner out.
func (s *Session) storeToken(ctx context.Context, slot *slot, a *tokenAnswer) error {
	s.keys.hide(a.AccessToken)
	s.keys.hide(a.RefreshToken)
	values := map[string]string{slot.Field: a.AccessToken}
	if a.RefreshToken != "" {
		values[slot.OAuth.RefreshField] = a.RefreshToken
	}
	if err := s.options.Secrets.Replace(context.WithoutCancel(ctx), values); err != nil {
		return abi.NewError(CodeCredentialNotKept, "a renewed sign-in could not be stored", "see `pdpp-host doctor`; you may have to sign in again").Wrap(err)
	}
	now := s.options.Clock.Now()
	s.keys.mu.Lock()
	h := s.keys.fields[slot.Field]
	h.value, h.renewed, h.unproven, h.expires = a.AccessToken, now, true, time.Time{}
	h.generation++
	if life := lifetime(a.ExpiresIn); life > 0 {
		h.expires = now.Add(life - min(early, life/10))
	}
	s.keys.mu.Unlock()
	return nil
}

// lifetime reads expires_in; 0 if it cannot be read.
func lifetime(raw json.RawMessage) time.Duration {
	seconds, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || math.IsNaN(seconds) || seconds <= 0 {
		return 0
	}
	const longest = 10 * 365 * 24 * time.Hour
	return time.Duration(min(seconds, longest.Seconds()) * float64(time.Second))
}
