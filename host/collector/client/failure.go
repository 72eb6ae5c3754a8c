package client

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

// Class says what a failure of a request means for what was sent.
type Class string

// The classes. Only a permanent one counts against what was sent.
const (
	ClassTransient Class = "transient" // the same will be taken later
	ClassPermanent Class = "permanent" // this will not be taken as it is
	ClassAuth      Class = "auth"      // nothing will be taken with this credential
	ClassGone      Class = "gone"      // the host does not know the lane
	ClassProtocol  Class = "protocol"  // the host speaks another version
)

// Stops reports whether nothing else will be taken either.
func (c Class) Stops() bool { return c == ClassAuth || c == ClassGone || c == ClassProtocol }

// Failure is a request that was not taken. It holds no secret.
type Failure struct {
	Class   Class
	Word    string    // of the outbox: timeout, connection, answer, http_503
	Code    string    // of the host; "": it gave none
	RetryAt time.Time // when the host wants to be asked again; zero: it did not say

	Answered bool // it is the host's own answer to this request
	status   int  // of HTTP; 0: there was no answer
	Err      *abi.Error
}

// Error says what was refused and why.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the error with its code and hint.
func (f *Failure) Unwrap() error { return f.Err }

// WordShape is the word of work that nobody would take.
const WordShape = "shape"

// OutboxClass is how the outbox counts what was given up: the status, and the host's
// own word for it.
func (f *Failure) OutboxClass() string {
	if f.Code == "" {
		return f.Word
	}
	return f.Word + ":" + f.Code
}

// FailureOf returns the failure of a request that err is.
func FailureOf(err error) (*Failure, bool) { return errors.AsType[*Failure](err) }

// refusal reads what the host said instead of taking a request.
func (c *Client) refusal(answer *http.Response, text []byte) *Failure {
	var body device.Failure
	if json.Unmarshal(text, &body) != nil || !hostCode.MatchString(body.Error.Code) || c.clean(body.Error.Code) != body.Error.Code {
		body.Error = device.FailureDetail{}
	}
	status := answer.StatusCode
	f := &Failure{Class: classOf(status, body.Error.Code), Code: body.Error.Code, Word: "http_" + strconv.Itoa(status), Answered: status >= 500, status: status}
	if f.Class == ClassTransient {
		f.RetryAt = retryAt(answer.Header.Get("Retry-After"), c.now())
	}
	detail := strconv.Itoa(status)
	if f.Code != "" {
		detail += " " + f.Code
	}
	if message := c.clean(body.Error.Message); message != "" {
		detail += ", " + message
	}
	said := words(f.Class, c.Base.String())
	if remedy := Remedy(f.OutboxClass()); remedy != "" && f.Class == ClassPermanent {
		said.Hint = remedy + "; `doctor` shows what was refused, and what was given up"
	}
	f.Err = said.WithDetail(detail)
	switch {
	case f.Class == ClassTransient && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable):
		f.Err = abi.NewError(CodePaused, "the host asked for a pause", "nothing to do: what waits is kept, and a later run sends it").WithDetail(detail)
	case f.Class == ClassTransient && f.Code == "" && status >= 400 && status < 500 && status != http.StatusRequestTimeout:
		f.Err = abi.NewError(CodeUnreachable, "something answered in the host's place, and refused the request",
			"check the address and the network: "+profile.EnvBaseURL+" has to be the host's own address; what waits is kept").WithDetail(detail)
	case status >= 300 && status < 400:
		f.Err = abi.NewError(CodeUnreachable, "something answered in the host's place, and wanted the request elsewhere",
			"check the address and the network: "+profile.EnvBaseURL+" has to be the host's own address").WithDetail(detail)
	}
	return f
}

// hostCode bounds what is taken for a code.
var hostCode = regexp.MustCompile(`^[a-z0-9_.]{1,64}$`)

// classOf tells what a refusal means. One that the host has not signed with a code
// of its own may be of anything on the way, and says nothing of what was sent.
func classOf(status int, code string) Class {
	switch {
	case code == device.CodeProtocolMismatch:
		return ClassProtocol
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return ClassAuth
	case status == http.StatusNotFound, status == http.StatusGone:
		if code == device.CodeNotFound {
			return ClassGone
		}
		return ClassTransient
	case code == "", status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status >= 500, status < 400:
		return ClassTransient
	}
	return ClassPermanent
}

func words(c Class, base string) *abi.Error {
	switch c {
	case ClassAuth:
		return abi.NewError(CodeUnauthorized, "the host does not accept this device's credential",
			"set the device up again with a new code of the host: pdpp-local-collector setup --base-url "+base)
	case ClassGone:
		return abi.NewError(CodeGone, "the host does not know this source instance",
			"check "+profile.EnvBaseURL+", or set the device up again: pdpp-local-collector setup --base-url "+base)
	case ClassProtocol:
		return abi.NewError(CodeProtocol, "the host speaks another version of the collector's protocol",
			"install the collector that belongs to the host's version; what waits is kept")
	case ClassPermanent:
		return abi.NewError(CodeRefused, "the host refused what was sent", "see what it says; `doctor` shows what was given up")
	default:
		return abi.NewError(CodeUnreachable, "the host cannot take it now", "nothing to do: it is sent again")
	}
}

// retryAt reads Retry-After, in either of its forms, exactly as it was said.
func retryAt(text string, now time.Time) time.Time {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		const most = int64(1e9) // beyond it the text is no time that anybody means
		if n < 0 || n > most {
			return time.Time{}
		}
		return now.Add(time.Duration(n) * time.Second)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return time.Time{}
	}
	return at
}

// clean is a text of the host as an error may show it: short, on one line, and
// without the credential, which the host knows too.
func (c *Client) clean(text string) string {
	const most = 300
	for _, t := range []profile.Token{c.token, c.secret} {
		if !t.Empty() {
			text = strings.ReplaceAll(text, t.Reveal(), profile.Redacted)
		}
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return strings.TrimSpace(text)
}

// Unreachable is the failure of a request that got no answer, under the outbox's word.
func Unreachable(word, why string) *Failure {
	return &Failure{Class: ClassTransient, Word: word, Err: abi.NewError(CodeUnreachable, "the host cannot be reached: "+why,
		"check the network and that the host runs; what waits is kept and sent again")}
}

// Unbelievable is an answer that acknowledges nothing: what answers may not be
// the host at all, so that what was sent is sent again.
func Unbelievable(why string) *Failure {
	return &Failure{Class: ClassTransient, Word: "answer", Err: abi.NewError(CodeAnswer, "the host's answer cannot be believed: "+why,
		"check that "+profile.EnvBaseURL+" is the host's own address; what waits is kept and sent again")}
}

// badShape is work that cannot be sent, whoever takes it.
func badShape(why string) *Failure {
	return &Failure{Class: ClassPermanent, Word: WordShape, Err: abi.NewError(CodeRefused, "what waits in the outbox cannot be sent: "+why,
		"report this; `recover` shows what is left")}
}

// CodeNoArtifacts stands where a host's own word for a refusal does.
const CodeNoArtifacts = "no_artifacts"

// noArtifacts is an artifact for a host that knows the public protocol alone. It may
// know more after an update, so the artifact is tried as often as a refused one.
func noArtifacts() *Failure {
	return &Failure{Class: ClassPermanent, Word: "http_404", Code: CodeNoArtifacts, status: http.StatusNotFound, Err: abi.NewError(CodeRefused,
		"the host takes no artifacts: it knows the public protocol alone", "deliver to a pdpp-host; `doctor` shows what was given up")}
}

// plainHint is what to do about an address that begins with https and is not.
const plainHint = "use http:// where the host is on this machine (127.0.0.1), or the port that its certificate is on; nothing was sent"

// plain reports whether the other end answered a TLS greeting with something else.
func plain(err error) bool {
	var record tls.RecordHeaderError
	return errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &record)
}

// networkWords says what went wrong on the way, never with what was received.
func networkWords(err error) string {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verify *tls.CertificateVerificationError
	switch {
	case plain(err):
		return "the other end does not speak TLS"
	case errors.As(err, &dns):
		return "its name cannot be found"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid), errors.As(err, &verify):
		return "its certificate is not accepted"
	default:
		return "the connection failed"
	}
}
