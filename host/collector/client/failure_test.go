package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// A refusal counts as the host's own when it carries a code of the host; one of
// something on the way says nothing of what was sent.
func TestStatusesMean(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]Class{
		300: ClassTransient, 301: ClassTransient, 302: ClassTransient, 304: ClassTransient, 308: ClassTransient,
		401: ClassAuth, 403: ClassAuth, 408: ClassTransient, 429: ClassTransient,
		500: ClassTransient, 501: ClassTransient, 502: ClassTransient,
		503: ClassTransient, 504: ClassTransient, 507: ClassTransient, 599: ClassTransient, 999: ClassTransient,
	} {
		for _, code := range []string{"", device.CodeBadRequest} {
			if got := classOf(status, code); got != want {
				t.Errorf("%d %s means %s, want %s", status, code, got, want)
			}
		}
	}
	for _, status := range []int{400, 402, 405, 407, 409, 411, 413, 414, 415, 421, 422, 426, 431, 451} {
		if got := classOf(status, ""); got != ClassTransient {
			t.Errorf("a bare %d means %s", status, got)
		}
		if got := classOf(status, device.CodeBadRequest); got != ClassPermanent {
			t.Errorf("the host's %d means %s", status, got)
		}
	}
	for _, status := range []int{404, 410} {
		if bare, signed := classOf(status, ""), classOf(status, device.CodeNotFound); bare != ClassTransient || signed != ClassGone {
			t.Errorf("%d means %s, and %s of the host", status, bare, signed)
		}
	}
	if got := classOf(409, device.CodeProtocolMismatch); got != ClassProtocol {
		t.Errorf("another protocol is %s", got)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"0": now, "1": now.Add(time.Second), " 120 ": now.Add(2 * time.Minute), "86400": now.Add(24 * time.Hour),
		"Sun, 01 Mar 2026 12:05:00 GMT": now.Add(5 * time.Minute), "Sunday, 01-Mar-26 12:05:00 GMT": now.Add(5 * time.Minute),
		"Sun Mar  1 12:05:00 2026": now.Add(5 * time.Minute),
		"":                         {}, "-1": {}, "1.5": {}, "soon": {}, "99999999999999999999": {}, "9223372036854775807": {},
	} {
		if got := retryAt(text, now); !got.Equal(want) {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

func TestNetworkTroubleIsToldByKind(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"its name cannot be found":         &net.DNSError{Err: "no such host", Name: "secret.example"},
		"nothing listens there":            &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
		"its certificate is not accepted":  &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
		"the other end does not speak TLS": tls.RecordHeaderError{Msg: "secret"},
		"the connection failed":            errors.New("secret"),
	} {
		if got := networkWords(fmt.Errorf("wrapped: %w", err)); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
