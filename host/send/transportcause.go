package send

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"github.com/pdpp-host/pdpp-host/abi"
)

// transportCause returns why no answer came, as a code and in the host's own words, so
// that an owner can distinguish a missing network from a provider that is down; "" for
// any other error. It does not repeat the error's own text, which contains addresses.
func transportCause(err error) (code abi.Cause, text string) {
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		timeout   net.Error
	)
	switch {
	case err == nil:
		return "", ""
	case errors.As(err, &dns):
		return abi.CauseNameUnresolved, "the host's name could not be looked up"
	case errors.Is(err, syscall.ECONNREFUSED):
		return abi.CauseConnectionRefused, "the connection was refused"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return abi.CauseHostUnreachable, "there is no way to the host"
	case errors.As(err, &verify), errors.As(err, &authority), errors.As(err, &name), errors.As(err, &invalid):
		return abi.CauseTLSFailed, "the host's certificate is not good"
	case errors.As(err, &record):
		return abi.CauseTLSFailed, "the host does not speak TLS"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return abi.CauseNoAnswer, "no answer in time"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.EPIPE):
		return abi.CauseNoAnswer, "the connection was cut"
	default:
		return "", ""
	}
}
