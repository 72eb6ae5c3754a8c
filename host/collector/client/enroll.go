package client

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/posture"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

// RequestTimeout is how long a host may take to answer.
const RequestTimeout = 120 * time.Second

// EnrollRequest turns a code into a profile.
type EnrollRequest struct {
	BaseURL   string
	Code      profile.Token // it is as good as a credential until it is used
	Label     string
	Queue     string // the lane's file, when it is not to be the usual one
	Name      string // of the profile; "": of its connector and lane
	Install   posture.Install
	Transport http.RoundTripper // nil: the system's
	Now       func() time.Time
	Timeout   time.Duration // 0: 120 s
}

// Enroll asks the host for a credential and returns the profile, which is not
// saved yet. A lost answer is no harm: the same code, used again, resumes the
// same device under a new credential.
func Enroll(ctx context.Context, r EnrollRequest) (*profile.Profile, error) {
	code := profile.NewToken(strings.TrimSpace(r.Code.Reveal()))
	if code.Empty() {
		return nil, abi.NewError(abi.CodeUsage, "there is no enrollment code", "get one on the host: pdpp-host devices invite CONNECTOR")
	}
	c, err := New(r.BaseURL, profile.Token{}, r.Transport, r.Now, cmp.Or(r.Timeout, RequestTimeout))
	if err != nil {
		return nil, err
	}
	c.secret = code
	body, err := json.Marshal(device.EnrollRequest{Code: code.Reveal(), DeviceLabel: r.Label, AgentVersion: r.Install.AgentVersion()})
	if err != nil {
		return nil, badShape("the request is not JSON")
	}
	var out device.Enrollment
	if err := c.do(ctx, call{method: http.MethodPost, path: device.PathEnroll, body: body, into: &out}); err != nil {
		return nil, enrolled(err)
	}
	p := &profile.Profile{
		Name: r.Name, BaseURL: c.Base.String(), DeviceID: out.DeviceID, Token: profile.NewToken(out.DeviceToken), SourceInstanceID: out.SourceInstanceID,
		ConnectorID: out.ConnectorID, ConnectorInstanceID: out.ConnectorInstanceID, Queue: r.Queue,
	}
	if p.Name == "" {
		p.Name = profile.NameFor(p)
	}
	text, err := p.Text()
	if err != nil {
		return nil, Unbelievable("it holds what no profile can hold")
	}
	if _, err := profile.Parse(p.Name, text); err != nil {
		return nil, Unbelievable("it is no whole enrollment")
	}
	return p, nil
}

// enrolled says what to do about a code that was not taken.
func enrolled(err error) error {
	f, ok := FailureOf(err)
	if !ok {
		return err
	}
	const again = "get a new one on the host: pdpp-host devices invite CONNECTOR"
	switch f.Code {
	case device.CodeCodeUsed:
		return abi.NewError(CodeCode, "the enrollment code was used before", again).Wrap(f)
	case device.CodeCodeExpired:
		return abi.NewError(CodeCode, "the enrollment code has run out", again).Wrap(f)
	case device.CodeCodeRaced:
		return abi.NewError(CodeCode, "another device used the enrollment code at the same moment", again).Wrap(f)
	case device.CodeUnauthorized, device.CodeForbidden:
		return abi.NewError(CodeCode, "the host does not know the enrollment code", again).Wrap(f)
	}
	if f.Class != ClassTransient {
		return err
	}
	// Nothing waits yet, whatever a lane's own failure says of it.
	hint := "check the address that you gave, the network, and that the host runs there"
	if f.Err.Hint == plainHint {
		hint = plainHint
	}
	return abi.NewError(f.Err.Code, f.Err.Message, hint+"; the same code is good for another try").WithDetail(f.Err.Detail).Wrap(f)
}
