package ownerapi

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
)

// about says of a route what its summary does not: who may ask, and what holds for requests of its kind.
func about(r *wire.Route) string {
	said := []string{r.Summary + "."}
	switch {
	case r.Browser:
		said = append(said, "A browser asks in which the owner is signed in.")
	case r.Open:
		said = append(said, "It takes no token.")
	case r.Scope != "":
		said = append(said, "It takes a token of the owner's with the scope `"+r.Scope+"` or a wider one.")
	default:
		said = append(said, "It takes the token of an app.")
	}
	for _, p := range r.Params {
		switch p.Name {
		case "cursor":
			said = append(said, "Each page names the `cursor` of the next one.")
		case headerKey:
			said = append(said, "The same `"+headerKey+"` and body within a day act once.")
		case "If-Match":
			said = append(said, "An edit with `If-Match` is refused if the thing has changed since.")
		}
	}
	if r.Secret {
		said = append(said, "The answer holds a secret: keep it, it is not shown again.")
	}
	return strings.Join(said, " ")
}

// describe returns the description of a route.
func describe(r *wire.Route) (object, error) {
	responses := object{}
	for _, a := range r.Answers {
		one := object{"description": r.Summary, "headers": headersOf()}
		if r.Secret {
			one["headers"] = headersOf("Pragma") // RD-04.3
		}
		if r.Tagged {
			names := "what If-Match of an edit names"
			if slices.ContainsFunc(r.Answers, func(a wire.Answer) bool { return a.Status == http.StatusNotModified }) {
				names = "what If-None-Match of the next read names"
			}
			one["headers"].(object)["ETag"] = object{"required": true, "description": names, "schema": object{"type": "string"}} //nolint:forcetypeassert // it was made above
		}
		switch {
		case a.Out != nil:
			s, err := schemaOf(a.Out)
			if err != nil {
				return nil, err
			}
			one["content"] = object{"application/json": object{"schema": s}}
		case a.Media != "":
			one["content"] = object{a.Media: object{"schema": object{"type": "string"}}}
		}
		responses[strconv.Itoa(a.Status)] = one
	}
	var failure any = object{"$ref": "#/components/schemas/Failure"}
	if r.Failure != nil {
		s, err := schemaOf(r.Failure)
		if err != nil {
			return nil, err
		}
		failure = s
	}
	for status, more := range map[string][]string{"default": nil, "401": {"WWW-Authenticate"}, "405": {"Allow"}, "429": {"Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}, "503": {"Retry-After"}} {
		if r.Browser && status == "401" {
			more = nil // it asks for no token
		}
		one := object{"description": "an error, with its stable code", "headers": headersOf(more...)}
		if !r.Foreign {
			one["content"] = object{"application/json": object{"schema": failure}}
		}
		responses[status] = one
	}
	op := object{
		"operationId": strings.ToLower(r.Method) + strings.NewReplacer("/", "_", "{", "", "}", "", "-", "_", ".", "_").Replace(strings.TrimPrefix(r.Path, "/v1")),
		"summary":     r.Summary, "description": about(r), "tags": []string{familyOf(r.Path)}, "parameters": describeParams(r), "responses": responses,
	}
	if r.Scope != "" {
		op["x-pdpp-scope"] = r.Scope
	}
	switch {
	case r.Open:
		op["security"] = []object{}
	case r.Browser:
		op["security"] = []object{{"session": []string{}}}
	case r.Scope == "":
		op["security"] = []object{{"app": []string{}}}
	}
	body, err := describeBody(r)
	if body != nil {
		op["requestBody"] = object{"required": true, "content": body}
	}
	return op, err
}

// describeBody returns what a body may be, or nil if the route takes none.
func describeBody(r *wire.Route) (object, error) {
	content := object{}
	if r.In != nil {
		s, err := schemaOf(r.In)
		if err != nil {
			return nil, err
		}
		if r.Lax {
			s.AdditionalProperties = nil
		}
		content["application/json"] = object{"schema": s}
	}
	if r.Form != nil {
		members, required := object{}, []string{}
		for _, p := range r.Form {
			s := maps.Clone(p.Schema)
			s["description"] = p.About
			if members[p.Name] = s; p.Required {
				required = append(required, p.Name)
			}
		}
		content[wire.MediaForm] = object{"schema": object{"type": "object", "properties": members, "required": required}}
	}
	if len(content) == 0 {
		return nil, nil //nolint:nilnil // it takes none
	}
	return content, nil
}

func describeParams(r *wire.Route) []object {
	all := []object{}
	for part := range strings.SplitSeq(r.Path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			all = append(all, object{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": object{"type": "string"}})
		}
	}
	for _, p := range r.Params {
		in := "query"
		if p.Header {
			in = "header"
		}
		one := object{"name": p.Name, "in": in, "required": p.Required, "description": p.About, "schema": p.Schema}
		if p.Deep {
			one["style"], one["explode"] = "deepObject", true
		}
		all = append(all, one)
	}
	return all
}

func (p *param) schema() object {
	switch p.kind {
	case count:
		return object{"type": "integer", "minimum": 1, "maximum": mostRows, "default": usualRows}
	case flag:
		return object{"type": "boolean"}
	case word:
		return object{"type": "string", "enum": p.words}
	case moment:
		return object{"type": "string", "format": "date-time"}
	default:
		return object{"type": "string", "minLength": 1}
	}
}

// tagDescriptions says what the operations of each tag are about.
var tagDescriptions = map[string]string{ //nolint:gosec // no secret is a sentence
	"agent-connect":         "How an app that no browser can lead back to asks for access.",
	"audit":                 "What owners changed, and what they were refused.",
	"blobs":                 "Files that belong to records.",
	"clients":               "Apps that made themselves known.",
	"connections":           "Sources of an owner's data, with their health, schedules, credentials and records.",
	"connector-templates":   "Connectors that are installed.",
	"connectors":            "The connectors of an app's grant.",
	"consent":               "What the page does on which an owner decides on an app's request.",
	"control":               "Which actions the host takes.",
	"device-codes":          "Codes that a device shows its owner.",
	"device-invitations":    "Invitations of collectors that run elsewhere.",
	"devices":               "Collectors that run elsewhere and deliver to this host.",
	"disclosures":           "Which records were read, by whom and when.",
	"doctor":                "A check of the whole installation.",
	"events":                "What changes, as it happens.",
	"grant-refusals":        "Requests that are refused together.",
	"grant-requests":        "What apps ask for until the owner has decided.",
	"grants":                "What apps may read.",
	"handoffs":              "Pages of browsers that runs have handed to their owner.",
	"index":                 "Where a program begins.",
	"interactions":          "Questions of runs, by the name that other hosts use.",
	"introspect":            "What a token stands for.",
	"mcp":                   "The tools of the Model Context Protocol.",
	"notification-channels": "Where an owner is told what a connection needs.",
	"notification-settings": "When an owner is told.",
	"oauth":                 "How apps register, ask for access and get tokens.",
	"openapi":               "This description.",
	"passkeys":              "Keys with which an owner signs in.",
	"questions":             "What runs ask their owner.",
	"runs":                  "What was collected, when, and what is missing.",
	"schema":                "The schemas of an app's streams.",
	"search":                "Records by the words in them.",
	"sessions":              "Browsers in which the owner is signed in.",
	"settings":              "The settings of the host.",
	"status":                "How all connections are.",
	"streams":               "Streams of records, and the records themselves.",
	"tokens":                "Tokens of programs that speak for the owner.",
	"well-known":            "What clients look up before they ask for access.",
}

// tagsOf describes the tags of the operations of some routes.
func tagsOf(routes []wire.Route) []object {
	used := map[string]bool{}
	for i := range routes {
		used[familyOf(routes[i].Path)] = true
	}
	tags := []object{}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		tags = append(tags, object{"name": name, "description": tagDescriptions[name]})
	}
	return tags
}
