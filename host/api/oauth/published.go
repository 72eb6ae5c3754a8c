package oauth

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
)

const (
	longestClientID = 512             // in bytes
	documentTime    = 5 * time.Second // how long the host waits for a client's document
)

// knowsDocuments reports whether a client may be known by its document.
func (c *call) knowsDocuments() bool { return c.Document != nil && !c.NoRegistration }

// published has a client become known whose id is the address of its document
// (draft-ietf-oauth-client-id-metadata-document). Any other id is left alone.
func (c *call) published(id string) error {
	if !c.knowsDocuments() || !strings.Contains(id, "://") {
		return nil
	}
	if why := checkAddress(id); why != "" {
		return wire.Invalid("client_id", why)
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), documentTime)
	defer cancel()
	if known, err := c.Desk.Published(ctx, id); known || err != nil {
		return err
	}
	if err := c.limit(&c.shares.clients); err != nil {
		return err
	}
	text, err := c.Document(ctx, id)
	if err != nil { // why would tell a stranger what this host can reach
		c.Logger.Info("the document of a client was not read", "client_id", id, "error", err)
		return refusedClient("cannot be read: it is an answer 200 of up to 5 KiB of application/json, without a redirect")
	}
	taken, err := readDocument(id, text)
	if err != nil {
		return err
	}
	return c.Desk.Publish(c.r.Context(), id, desk.NewClient{Name: taken.Name, Redirects: taken.Redirects, Refreshes: slices.Contains(taken.GrantTypes, typeRefresh), From: c.from()})
}

// checkAddress returns why an id is not the address of a document. It returns "" if it is one.
func checkAddress(id string) string {
	u, err := url.Parse(id)
	switch {
	case err != nil || u.Scheme != "https" || u.Host == "" || u.String() != id:
		return "is an address that is not https, or is not written as it is sent"
	case len(id) > longestClientID:
		return "is longer than 512 bytes"
	case u.User != nil || u.Fragment != "" || u.RawQuery != "" || u.ForceQuery:
		return "is an address with a user, a query or a fragment"
	case strings.Trim(u.Path, "/") == "" || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") || u.RawPath != "":
		return "is an address without a plain path"
	}
	return ""
}

// readDocument reads what a client says of itself in its document. It names its own address, and has no secret.
func readDocument(id string, text []byte) (*registered, error) {
	var members map[string]jsontext.Value
	if err := wire.Decode(text, &members); err != nil {
		return nil, refusedClient("is not a JSON object")
	}
	var n struct {
		newClient

		ID     string         `json:"client_id"`
		Secret jsontext.Value `json:"client_secret"`
	}
	switch err := json.Unmarshal(text, &n); {
	case err != nil:
		return nil, refusedClient("has a member of the wrong type")
	case n.ID != id:
		return nil, refusedClient("has another client_id than its address")
	case n.Secret != nil:
		return nil, refusedClient("has a client_secret, which everybody can read")
	case n.Name == nil || *n.Name == "":
		return nil, refusedClient("has no client_name")
	case n.AuthMethod != nil && *n.AuthMethod != authNone:
		return nil, refusedClient("has another token_endpoint_auth_method than none")
	}
	return n.check()
}

func refusedClient(why string) error {
	return &wire.Failure{Status: http.StatusBadRequest, Code: "invalid_client", Message: "the document at client_id " + why, Param: "client_id"}
}
