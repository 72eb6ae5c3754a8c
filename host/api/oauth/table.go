package oauth

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
)

// route is one method of one path.
type route struct {
	wire.Route

	do        func(*call) (any, error)
	flat      bool // its errors are those of RFC 6749
	uncounted bool // what everybody may know
	shows     bool // its handler counts a request, by what it shows
	page      bool // a browser opens it, with a query: it is sent on to a page
}

// table has every route: what answers, and what the document of the API describes.
var table = []route{
	open[resourceMetadata](PathResource, "Where readers ask for access (RFC 9728)", (*call).resource),
	open[resourceMetadata](PathResourceMCP, "The same for what speaks MCP", (*call).resourceMCP),
	open[serverMetadata](PathServer, "How access is asked for (RFC 8414)", (*call).server),
	post(PathRegister, "Makes an app known (RFC 7591)", (*call).register, wire.Succeeds[registered](http.StatusCreated), flat, takes[newClient], lax),
	post(PathPush, "Keeps what an app asks for until its owner has decided (RFC 9126)", (*call).push, wire.Succeeds[pushedAnswer](http.StatusCreated), takes[pushed],
		form(slices.Concat([]wire.Param{needed("client_id", "who asks")}, asked, browser)...)),
	{
		Route: wire.Route{
			Method: http.MethodGet, Path: PathAuthorize, Summary: "Sends an owner's browser to the page that decides", Open: true, Answers: []wire.Answer{{Status: http.StatusSeeOther}},
			Params: slices.Concat([]wire.Param{field("client_id", "who asks"), field("request_uri", "what was pushed; without it the request stands here")}, asked, browser),
		},
		do: (*call).authorize, page: true, shows: true,
	},
	post(PathToken, "Gives an app its tokens, for a code, a device's code or a refresh token", (*call).token, wire.OK[issued](), flat, secret, shows, form(
		wire.Param{Name: "grant_type", About: "by what", Required: true, Schema: map[string]any{"type": "string", "enum": grantTypes}}, needed("client_id", "who asks"),
		field("code", "of "+typeCode), field("redirect_uri", "of "+typeCode), field("code_verifier", "of "+typeCode), field("refresh_token", "of "+typeRefresh), field("device_code", "of "+typeDevice))),
	post(PathRevokeToken, "Ends the grant of a token (RFC 7009)", (*call).revokeToken, wire.OK[struct{}](), flat, shows, form(needed("token", "one of any kind"), field("client_id", "whose it is"))),
	post(PathIntrospect, "Tells a server of the owner's what a token stands for (RFC 7662)", (*call).introspect, wire.OK[introspected](), secret, form(needed("token", "one of any kind")),
		func(rt *route) { rt.uncounted = true }),
	post(PathStartDevice, "Begins to wait for an owner who types a code (RFC 8628)", (*call).startDevice, wire.OK[device](), flat, secret,
		form(slices.Concat([]wire.Param{needed("client_id", "who asks")}, asked)...)),
	post(PathConnect, "Begins to wait for an owner's decision", (*call).connect, wire.Succeeds[attempt](http.StatusCreated), secret, takes[connecting]),
	post(PathPoll, "Asks whether the owner has decided", (*call).poll, append(wire.OK[token](), wire.Succeeds[waiting](http.StatusAccepted)...), secret, shows, takes[polling]),
	post(PathRevoke, "Ends a grant, for its own app or for its owner", (*call).revoke, wire.OK[revoked](), func(rt *route) { rt.Open = false }, shows),
}

// root is what a program sees at the address alone.
var root = open[startingPoint]("/", "Where a program goes on that asks for JSON", (*call).index)

// Paths are the patterns of all routes, for who puts the faces together.
func Paths() (all []string) {
	for i := range table {
		all = append(all, table[i].Path)
	}
	return all
}

// Routes describes what is answered here.
func Routes() []wire.Route {
	all := []wire.Route{root.Route}
	for i := range table {
		all = append(all, table[i].Route)
	}
	return all
}

func open[Out any](path, summary string, do func(*call) (any, error)) route {
	return route{Route: wire.Route{Method: http.MethodGet, Path: path, Summary: summary, Open: true, Answers: wire.OK[Out]()}, do: do, uncounted: true}
}

func post(path, summary string, do func(*call) (any, error), answers []wire.Answer, changes ...func(*route)) route {
	rt := route{Route: wire.Route{Method: http.MethodPost, Path: path, Summary: summary, Open: true, Answers: answers}, do: do}
	for _, change := range changes {
		change(&rt)
	}
	return rt
}

func flat(rt *route)          { rt.flat, rt.Failure = true, reflect.TypeFor[flatError]() }
func lax(rt *route)           { rt.Lax = true }
func secret(rt *route)        { rt.Secret = true }
func shows(rt *route)         { rt.shows = true }
func takes[In any](rt *route) { rt.In = reflect.TypeFor[In]() }

func form(all ...wire.Param) func(*route) { return func(rt *route) { rt.Form = all } }

// The members of a request for access, which several routes take.
var (
	asked = []wire.Param{
		field("authorization_details", "what is asked for, as JSON"), field("client_display", "how the app names itself"), field("resource", "this host"), field("scope", scopeRead),
	}
	browser = []wire.Param{
		field("redirect_uri", "where the owner's browser goes back to"), field("response_type", responseCode), field("code_challenge", "of PKCE"),
		field("code_challenge_method", "S256"), field("state", "comes back as it is"),
	}
)

func field(name, about string) wire.Param {
	return wire.Param{Name: name, About: about, Schema: map[string]any{"type": "string"}}
}

func needed(name, about string) wire.Param {
	p := field(name, about)
	p.Required = true
	return p
}
