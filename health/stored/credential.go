package stored

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/health"
)

// Credential describes the credentials that the owner has stored, by the names
// of their fields. It never holds a value.
type Credential struct {
	// PutUS is the last time one was stored; 0: none is stored.
	PutUS  int64    `json:"put_us,omitempty"`
	Fields []string `json:"fields,omitempty"` // stored fields, sorted
	// Taken are the fields, sorted, whose stored value the settled run could use and
	// which was removed since, even if another is stored by now. The use of
	// environment variables is not known here.
	Taken []string `json:"taken,omitempty"`
}

// credentials returns the facts about signing in. A device's own credentials are on
// the device and not known here.
func (s *Facts) credentials() *health.Credentials {
	c, out := s.Credential, &health.Credentials{}
	if c == nil {
		c = &Credential{}
	}
	out.Stored = len(c.Fields) > 0
	lacks := !out.Stored
	for _, field := range s.required() {
		stored, taken := slices.Contains(c.Fields, field), slices.Contains(c.Taken, field) && s.runsHere()
		lacks = lacks || !stored
		out.Removed = out.Removed || taken && !stored
		out.Unconfirmed = out.Unconfirmed || taken && stored
	}
	out.NeverIn = s.Succeeded == nil && lacks
	if r := s.rejection(); r != nil {
		out.Rejected = r.Reason
	}
	return out
}

// rejection returns the last rejection, unless the owner has stored another credential
// since (HL-02.2), or it came from another device.
func (s *Facts) rejection() *Rejection {
	r := s.Rejected
	if r == nil || s.takenOver() || s.Credential != nil && s.Credential.PutUS > r.AtUS {
		return nil
	}
	return r
}

// RenewedRefused reports whether the credentials were rejected although the service had just
// renewed them.
func (s *Facts) RenewedRefused() bool {
	r := s.rejection()
	return r != nil && r.Renewed
}

// required returns the credentials that the accepted manifest requires.
func (s *Facts) required() []string {
	if s.Manifest == nil {
		return nil
	}
	return s.Manifest.Credentials
}

// runsHere reports whether this host runs the connection, and ran it last.
func (s *Facts) runsHere() bool {
	return s.Device == nil && (s.Settled == nil || s.Settled.Device == "")
}
