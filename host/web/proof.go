package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// The codes of this room.
const (
	CodeForeignRequest abi.Code = "web.foreign_request"
	CodeUnknownHost    abi.Code = "web.unknown_host"
)

// FormToken and FormTokenHeader carry the proof for browsers that do not say where a
// request comes from.
const (
	FormToken       = "proof"
	FormTokenHeader = "X-Pdpp-Proof" //nolint:gosec // the name of a header
)

// Proof returns what a form of the caller's pages carries. It follows from the session's
// secret and does not tell it.
func Proof(c *access.Caller) string {
	if c == nil || c.Secret == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("form of " + c.Secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// MaskedProof is Proof in other letters each time, so that the length of a compressed page
// tells nothing of it. A mask that cannot be drawn leaves the proof out.
func MaskedProof(c *access.Caller, random io.Reader) string {
	sum, err := base64.RawURLEncoding.DecodeString(Proof(c))
	if err != nil || len(sum) == 0 {
		return ""
	}
	masked := make([]byte, 2*len(sum))
	if _, err := io.ReadFull(random, masked[:len(sum)]); err != nil {
		return ""
	}
	subtle.XORBytes(masked[len(sum):], masked[:len(sum)], sum)
	return base64.RawURLEncoding.EncodeToString(masked)
}

// unmasked is the proof that a form sent, as Proof says it.
func unmasked(given string) string {
	masked, err := base64.RawURLEncoding.DecodeString(given)
	if err != nil || len(masked) != 2*sha256.Size {
		return given
	}
	sum := make([]byte, sha256.Size)
	subtle.XORBytes(sum, masked[:sha256.Size], masked[sha256.Size:])
	return base64.RawURLEncoding.EncodeToString(sum)
}

// CheckChange returns web.foreign_request for a request that changes something without
// proof that a page of this host sent it (OC-05). A bearer token is its own proof: no
// browser adds one by itself.
func (g *Guard) CheckChange(r *http.Request) error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Header.Get("Authorization") != "" {
		return nil
	}
	if site := r.Header.Values("Sec-Fetch-Site"); len(site) > 0 {
		if len(site) == 1 && site[0] == "same-origin" {
			return nil
		}
		return Foreign()
	}
	caller := CallerOf(r.Context())
	if caller == nil { // to sign in, there is no session to prove
		if o, err := url.Parse(r.Header.Get("Origin")); err == nil && o.Host != "" && strings.EqualFold(o.Host, r.Host) {
			return nil
		}
		return Foreign()
	}
	given := r.Header.Get(FormTokenHeader)
	if given == "" {
		given = formToken(r)
	}
	if want := Proof(caller); want != "" && subtle.ConstantTimeCompare([]byte(unmasked(given)), []byte(want)) == 1 {
		return nil
	}
	return Foreign()
}

// mostForm bounds a form that is read for its proof, in bytes.
const mostForm = 1 << 20

// formToken is the proof that a form carries. That of an upload stands in its address: its
// body is for who takes files, and is not read here.
func formToken(r *http.Request) string {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/x-www-form-urlencoded" {
		return r.URL.Query().Get(FormToken)
	}
	r.Body = http.MaxBytesReader(nil, r.Body, mostForm)
	return r.PostFormValue(FormToken)
}

// Foreign refuses a change that no page of this host sent.
func Foreign() error {
	return abi.NewError(CodeForeignRequest, "the request does not come from a page of this host", "open the page again, and send the form from there")
}

func isSignedOut(err error) bool {
	var e *abi.Error
	return errors.As(err, &e) && e.Code == access.CodeSignedOut
}

// UnknownHost refuses a request for a name that this host was not told of.
func UnknownHost() *abi.Error {
	return abi.NewError(CodeUnknownHost, "this host was not told of the name in your browser's address", "set serve.origin to what the address begins with, as in https://pdpp.example.org")
}
