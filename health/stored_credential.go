package health

import "slices"

// StoredCredential is what is known of the credentials that the owner has left,
// by the names of their fields. A value is never part of it.
type StoredCredential struct {
	// PutUS is when one was stored last; 0: none is stored.
	PutUS  int64    `json:"put_us,omitempty"`
	Fields []string `json:"fields,omitempty"` // that are stored, sorted
	// Taken are the fields, sorted, that the settled run could use a stored value
	// of which was removed since, whether there is another by now or not. What a
	// run did with a variable of its environment, nobody knows here.
	Taken []string `json:"taken,omitempty"`
}

// credentials is what the facts say of signing in. What a device signs in with is
// on the device.
func (s *Stored) credentials() *Credentials {
	c, out := s.Credential, &Credentials{}
	if c == nil {
		c = &StoredCredential{}
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

// rejection is the last rejection, unless the owner has left another credential
// since (HL-02.2), or it was another device's.
func (s *Stored) rejection() *StoredRejection {
	r := s.Rejected
	if r == nil || s.takenOver() || s.Credential != nil && s.Credential.PutUS > r.AtUS {
		return nil
	}
	return r
}

// required are the credentials that the accepted manifest requires.
func (s *Stored) required() []string {
	if s.Manifest == nil {
		return nil
	}
	return s.Manifest.Credentials
}

// runsHere reports whether this host runs the connection, and ran it last.
func (s *Stored) runsHere() bool {
	return s.Device == nil && (s.Settled == nil || s.Settled.Device == "")
}
