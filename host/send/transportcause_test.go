package send

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"
)

// The owner's text for a failed transport names the cause and no address.
func TestTransportCause(t *testing.T) {
	t.Parallel()
	const secret = "10.1.2.3"
	for text, err := range map[string]error{
		"":                                       errors.New("dial " + secret),
		"the host's name could not be looked up": &net.DNSError{Err: "no such host", Name: secret},
		"the connection was refused":             &net.OpError{Op: "dial", Err: fmt.Errorf("%s: %w", secret, syscall.ECONNREFUSED)},
		"there is no way to the host":            syscall.ENETUNREACH,
		"the host's certificate is not good":     x509.HostnameError{Host: secret, Certificate: new(x509.Certificate)},
		"no answer in time":                      &url.Error{Op: "Get", URL: secret, Err: context.DeadlineExceeded},
		"the connection was cut":                 fmt.Errorf("%s: %w", secret, io.ErrUnexpectedEOF),
	} {
		cause, got := transportCause(err)
		if got != text || strings.Contains(got, secret) || (cause == "") != (text == "") {
			t.Errorf("%v: %s, %q, want %q", err, cause, got, text)
		}
	}
	b := newBed(t, calm(1), nil)
	b.script(says{err: syscall.ECONNREFUSED})
	if s := b.stopped(); s.Error() != "github: fetch failed (the connection was refused) after 1 attempt" {
		t.Errorf(`b.stopped(): got %+v, want s.Error() == "github: fetch failed (the connection was refused) after 1 attempt"`, s)
	}
}
