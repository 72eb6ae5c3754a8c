package ownerapi

import (
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credentials"
)

func (c *call) listCredentials() (*owner.Credentials, error) {
	return c.owner.Credentials(c.Context(), c.r.PathValue("connection"))
}

// credentialValue is the value of a credential. No answer has it.
type credentialValue struct {
	Value string `json:"value"`
}

func (c *call) setCredential(in *credentialValue) (*credentials.StoredCredential, error) {
	clear(c.body)
	if in.Value == "" {
		return nil, wire.Invalid("value", "is empty")
	}
	return credentials.Set(c.Context(), c.owner, c.r.PathValue("connection"), c.r.PathValue("field"), func(string, string) ([]byte, error) {
		return []byte(in.Value), nil
	})
}

func (c *call) removeCredential() (*credentials.RemovedCredential, error) {
	return credentials.Remove(c.Context(), c.owner, c.r.PathValue("connection"), c.r.PathValue("field"))
}
