package egress

import (
	"net/http"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// reserved are the request headers that the host writes: those of the connection, of
// the body's framing, and of negotiation.
var reserved = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Cookie", "Expect", "Forwarded", "Host", "Keep-Alive", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip",
	"Metadata", "Metadata-Flavor", "X-Aws-Ec2-Metadata-Token", // request a machine's secrets from a cloud
}

const (
	maxHeaders     = 64
	maxHeaderValue = 8 << 10
)

// CheckHeaders returns why a connector may not send h; nil if it may. It applies to
// the guest's headers, before the host adds its own. An error names the header and
// never its value.
func CheckHeaders(h http.Header) error {
	count := 0
	for name, values := range h {
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case !token(name):
			return abi.NewError(CodeHeaderInvalid, "the header "+quoted(name)+" has an invalid name", "use letters, digits and -")
		case slices.Contains(reserved, canonical), strings.HasPrefix(canonical, "Proxy-"), strings.HasPrefix(canonical, "Sec-"):
			return abi.NewError(CodeHeaderReserved, "the header "+canonical+" is set by the host", "leave it out")
		}
		for _, v := range values {
			count++
			if len(v) > maxHeaderValue || strings.IndexFunc(v, control) >= 0 {
				return abi.NewError(CodeHeaderInvalid, "the header "+canonical+" has an invalid value", "use one line of at most 8 KiB")
			}
		}
	}
	if count > maxHeaders {
		return abi.NewError(CodeHeaderInvalid, "there are more than 64 headers", "send fewer")
	}
	return nil
}

// control reports whether r is forbidden in a header's value (RFC 9110, 5.5).
func control(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// token reports whether s is a header's name (RFC 9110, 5.6.2).
func token(s string) bool {
	if s == "" || len(s) > 256 {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}) < 0
}
