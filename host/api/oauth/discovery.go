package oauth

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
)

// resourceMetadata says what is read here (RFC 9728, RD-38). It is the same for everybody.
type resourceMetadata struct {
	Resource             string   `json:"resource"`
	Name                 string   `json:"resource_name"`
	AuthorizationServers []string `json:"authorization_servers"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	QueryBase            string   `json:"pdpp_core_query_base"`
	ConnectVersion       string   `json:"pdpp_provider_connect_version"`
	SelfExport           bool     `json:"pdpp_self_export_supported"`
	TokenKinds           []string `json:"pdpp_token_kinds_supported"`
	Capabilities         readable `json:"capabilities"`
}

func (c *call) resource() (any, error) {
	at := c.origin()
	return &resourceMetadata{
		Resource: at + strings.TrimPrefix(c.r.URL.Path, PathResource), Name: "pdpp-host", AuthorizationServers: []string{at}, BearerMethods: []string{"header"}, QueryBase: at + "/v1",
		ConnectVersion: wire.Version, SelfExport: true, TokenKinds: []string{"owner", "client"}, Capabilities: searches,
	}, nil
}

// serverMetadata says how a grant is asked for (RFC 8414, RD-38): it names the paths that
// answer, and no other.
type serverMetadata struct {
	Issuer               string      `json:"issuer"`
	Push                 string      `json:"pushed_authorization_request_endpoint"`
	Register             string      `json:"registration_endpoint"`
	Connect              string      `json:"agent_connect_endpoint"`
	GrantTypes           []string    `json:"grant_types_supported"`
	ResponseTypes        []string    `json:"response_types_supported"`
	AuthMethods          []string    `json:"token_endpoint_auth_methods_supported"`
	DetailsTypes         []string    `json:"authorization_details_types_supported"`
	PDPPDetailsTypes     []string    `json:"pdpp_authorization_details_types_supported"`
	RegistrationModes    []string    `json:"pdpp_registration_modes_supported"`
	PreRegistered        []preClient `json:"pdpp_pre_registered_public_clients"`
	ProviderCapabilities []string    `json:"pdpp_provider_connect_capabilities"`
}

type preClient struct {
	ID         string `json:"client_id"`
	Name       string `json:"client_name"`
	AuthMethod string `json:"token_endpoint_auth_method"`
}

func (c *call) server() (any, error) {
	at := c.origin()
	return &serverMetadata{
		Issuer: at, Push: at + PathPush, Register: at + PathRegister, Connect: at + PathConnect,
		GrantTypes: []string{}, ResponseTypes: []string{}, AuthMethods: []string{authNone},
		DetailsTypes: []string{grant.Type}, PDPPDetailsTypes: []string{grant.Type},
		RegistrationModes:    []string{grant.Dynamic, grant.PreRegistered},
		PreRegistered:        []preClient{{desk.PreRegistered, desk.PreRegisteredName, authNone}},
		ProviderCapabilities: []string{"third_party_client_connect"},
	}, nil
}

// authNone is how clients prove themselves: not at all. A client is a name and no right.
const authNone = "none"
