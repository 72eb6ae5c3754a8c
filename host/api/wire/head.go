package wire

import (
	"encoding/base32"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Version is the one version of the protocol that is spoken.
const Version = "2026-04-06"

// HeaderVersion names a version, in a request and in its answer.
const HeaderVersion = "PDPP-Version"

// NoStore keeps an answer out of every cache.
const NoStore = "private, no-store"

// NewID returns the id of a request: what an answer and the log know it by. One that a
// request brings is not looked at, so that nobody writes the log (RD-04.1).
func NewID(random io.Reader) string {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "req_unnamed" // it names a line of the log and guards nothing
	}
	return "req_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}

// Begin sets the headers of every answer (RD-04).
func Begin(h http.Header, id string) {
	h.Set("Request-Id", id)
	h.Set("X-Request-ID", id)
	h.Set(HeaderVersion, Version) //nolint:canonicalheader // the contract's spelling; net/http writes its own
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", NoStore)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// Secret keeps an answer with a credential out of old caches (RD-04.3).
func Secret(h http.Header) { h.Set("Pragma", "no-cache") }

// CheckVersion refuses a request of another version (RD-04.2).
func CheckVersion(r *http.Request) error {
	for _, v := range r.Header.Values(HeaderVersion) { //nolint:canonicalheader // as above
		if v != Version {
			return &Failure{Status: http.StatusBadRequest, Code: CodeVersion, Message: "this host speaks " + Version + " alone", Param: HeaderVersion}
		}
	}
	return nil
}

// RetryAfter sets the headers that say when to come again and, of a request that came too soon,
// how many may come (RD-57).
func RetryAfter(h http.Header, f *Failure) {
	if f.After <= 0 {
		return
	}
	again := strconv.Itoa(int(f.After.Seconds()))
	h.Set("Retry-After", again)
	if f.Most > 0 {
		h.Set("RateLimit-Limit", strconv.Itoa(f.Most)) //nolint:canonicalheader // the contract's spelling; net/http writes its own
		h.Set("RateLimit-Remaining", "0")              //nolint:canonicalheader // as above
		h.Set("RateLimit-Reset", again)                //nolint:canonicalheader // as above
	}
}
