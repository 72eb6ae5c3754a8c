package oauth

import (
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
	Scopes               []string `json:"scopes_supported"`
	QueryBase            string   `json:"pdpp_core_query_base"`
	ConnectVersion       string   `json:"pdpp_provider_connect_version"`
	SelfExport           bool     `json:"pdpp_self_export_supported"`
	TokenKinds           []string `json:"pdpp_token_kinds_supported"`
	Hints                hints    `json:"pdpp_discovery_hints"`
	// Onboarding says how a program of the owner's own gets a token that speaks for the owner.
	Onboarding   onboarding `json:"pdpp_owner_agent_onboarding"`
	Capabilities readable   `json:"capabilities"`
}

// hints say how a reader begins.
type hints struct {
	Schema     string      `json:"schema_endpoint"`
	QueryBase  string      `json:"query_base"`
	Connectors string      `json:"connectors_endpoint"`
	Streams    string      `json:"streams_endpoint_template"`
	Aggregate  template    `json:"aggregate"`
	Changes    string      `json:"changes_since_bootstrap"`
	Blobs      string      `json:"blob_indirection"`
	Search     searchHints `json:"search"`
}

type template struct {
	Endpoint string `json:"endpoint_template"`
}

type searchHints struct {
	Endpoint  string `json:"endpoint"`
	Streams   string `json:"scope_param"`
	OneStream bool   `json:"filter_requires_single_stream"`
}

// begins are the hints for readers. They name paths that answer.
var begins = hints{
	Schema: pathSchema, QueryBase: pathQueries, Connectors: pathConnectors, Streams: "/v1/streams/{stream}", Aggregate: template{"/v1/streams/{stream}/aggregate"},
	Changes: "beginning", Blobs: "data.blob_ref.fetch_url", Search: searchHints{"/v1/search", "streams[]", true},
}

type onboarding struct {
	Device string `json:"device_authorization_endpoint"`
	Token  string `json:"token_endpoint"`
}

const (
	resourceName = "pdpp-host"
	pathQueries  = "/v1"

	pathSchema, pathConnectors = "/v1/schema", "/v1/connectors"
)

func (c *call) resource() (any, error) { return c.resourceAt(""), nil }

// resourceMCP is the same for what speaks MCP: another resource, by name.
func (c *call) resourceMCP() (any, error) { return c.resourceAt(PathMCP), nil }

func (c *call) resourceAt(path string) *resourceMetadata {
	at := c.origin()
	return &resourceMetadata{
		Resource: at + path, Name: resourceName, AuthorizationServers: []string{at}, BearerMethods: []string{"header"}, Scopes: scopes, QueryBase: at + pathQueries,
		ConnectVersion: wire.Version, SelfExport: true, TokenKinds: []string{"owner", "client"},
		Hints: begins, Onboarding: onboarding{at + PathStartDevice, at + PathToken}, Capabilities: searches,
	}
}

// startingPoint says where a program goes on that knows the address alone.
type startingPoint struct {
	Object string            `json:"object"`
	Role   string            `json:"role"`
	Name   string            `json:"resource_name"`
	Links  map[string]string `json:"links"`
}

func (c *call) index() (any, error) {
	return &startingPoint{"pdpp_discovery_index", "resource_server", resourceName, map[string]string{
		"core_query_base": c.origin() + pathQueries, "well_known": c.origin() + PathResource, "schema": c.origin() + pathSchema, "connectors": c.origin() + pathConnectors,
	}}, nil
}

// serverMetadata says how a grant is asked for (RFC 8414, RD-38): it names the paths that
// answer, and no other.
type serverMetadata struct {
	Issuer               string      `json:"issuer"`
	Authorize            string      `json:"authorization_endpoint"`
	Token                string      `json:"token_endpoint"`
	Device               string      `json:"device_authorization_endpoint"`
	Push                 string      `json:"pushed_authorization_request_endpoint"`
	Register             string      `json:"registration_endpoint,omitempty"`
	Introspect           string      `json:"introspection_endpoint"`
	IntrospectMethods    []string    `json:"introspection_endpoint_auth_methods_supported"`
	Revoke               string      `json:"revocation_endpoint"`
	RevokeMethods        []string    `json:"revocation_endpoint_auth_methods_supported"`
	Connect              string      `json:"agent_connect_endpoint"`
	Scopes               []string    `json:"scopes_supported"`
	GrantTypes           []string    `json:"grant_types_supported"`
	ResponseTypes        []string    `json:"response_types_supported"`
	ChallengeMethods     []string    `json:"code_challenge_methods_supported"`
	NamesIssuer          bool        `json:"authorization_response_iss_parameter_supported"` // RFC 9207
	AuthMethods          []string    `json:"token_endpoint_auth_methods_supported"`
	DetailsTypes         []string    `json:"authorization_details_types_supported"`
	PDPPDetailsTypes     []string    `json:"pdpp_authorization_details_types_supported"`
	Documents            bool        `json:"client_id_metadata_document_supported,omitempty"`
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
	m := &serverMetadata{
		Issuer: at, Authorize: at + PathAuthorize, Token: at + PathToken, Device: at + PathStartDevice, Push: at + PathPush, Register: at + PathRegister, Introspect: at + PathIntrospect, IntrospectMethods: []string{"client_secret_basic"}, Revoke: at + PathRevokeToken, RevokeMethods: []string{authNone}, Connect: at + PathConnect,
		Scopes: scopes, GrantTypes: grantTypes, ResponseTypes: []string{responseCode}, ChallengeMethods: []string{"S256"}, NamesIssuer: true, AuthMethods: []string{authNone},
		DetailsTypes: []string{grant.Type}, PDPPDetailsTypes: []string{grant.Type},
		Documents:            c.knowsDocuments(),
		RegistrationModes:    []string{grant.Dynamic, grant.PreRegistered},
		PreRegistered:        []preClient{{desk.PreRegistered, desk.PreRegisteredName, authNone}},
		ProviderCapabilities: []string{"third_party_client_connect"},
	}
	if c.NoRegistration {
		m.Register, m.RegistrationModes = "", []string{grant.PreRegistered}
	}
	return m, nil
}

// authNone is how clients prove themselves: not at all. A client is a name and no right.
const authNone = "none"
