package manifest

import (
	"net/url"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// SecretPlace is one place in requests where the host sends a secret. A secret may
// have several.
type SecretPlace struct {
	Field string   // the credential's field, as in Credentials
	Slot  string   // the credential slot that sends it there
	In    string   // abi.SlotHeader, abi.SlotQuery or abi.SlotBody
	Key   string   // the name of the header, parameter, member or form field
	Hosts []string // destinations of those requests
	// Token reports that the host sends the secret by itself, to renew an access
	// token.
	Token bool
	// ByName reports that a request that writes carries the secret only if the owner
	// accepted the slot by name.
	ByName bool
}

// String describes the place for an owner, as in "token to api.example.org in header
// Authorization".
func (p SecretPlace) String() string {
	return p.Field + " to " + strings.Join(p.Hosts, " and ") + " in " + p.In + " " + p.Key
}

// SecretPlaces returns every place where the secrets of a valid manifest are sent, in
// the order of its slots. base is the host:port of the owner's own address for the
// provider, which receives them too; "" for none.
func SecretPlaces(m *abi.Manifest, base string) []SecretPlace {
	network := m.Requirements.Network
	if network == nil {
		return nil
	}
	var all []SecretPlace
	fields := Credentials(m)
	add := func(p SecretPlace) {
		if f := CredentialNamed(fields, p.Field); f != nil {
			p.Field = f.Name
			all = append(all, p)
		}
	}
	for i := range network.Credentials {
		s := &network.Credentials[i]
		p := SecretPlace{Field: s.Field, Slot: s.Name, In: s.In, Key: s.Key, Hosts: slices.Clone(s.Hosts), ByName: s.In != abi.SlotHeader}
		switch own := network.OwnServer(); {
		case base != "":
			p.Hosts = slices.Insert(p.Hosts, 0, base)
		case own != nil:
			p.Hosts = []string{own.Place()}
		}
		add(p)
		p.Field = s.User
		add(p)
		if s.OAuth == nil {
			continue
		}
		p.In, p.Hosts, p.Token, p.ByName = abi.SlotBody, []string{base}, true, false
		if u, err := url.Parse(s.OAuth.TokenURL); err == nil && base == "" {
			p.Hosts = []string{u.Host}
		}
		p.Field, p.Key = s.OAuth.RefreshField, "refresh_token"
		add(p)
		p.Field, p.Key = s.OAuth.ClientSecretField, "client_secret"
		add(p)
		p.In, p.Key = abi.SlotHeader, "Authorization" // for an endpoint that refuses it in the body
		add(p)
	}
	return all
}
