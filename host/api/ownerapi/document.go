package ownerapi

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
)

// object is a JSON object of the document.
type object = map[string]any

// spelled are the schemas of the types that write themselves.
var spelled = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[health.Word]():         {Types: []string{"string", "null"}},
	reflect.TypeFor[health.StalledCause](): {Types: []string{"string", "null"}},
	reflect.TypeFor[health.Instant]():      {Types: []string{"string", "null"}},
	reflect.TypeFor[json.RawMessage]():     {},
	reflect.TypeFor[abi.Raw]():             {},
}

// Document returns the OpenAPI 3.1 document of the owner's API and of the routes of other faces.
func Document(version string, others []wire.Route) ([]byte, error) {
	paths := object{}
	for _, rt := range tableOf(others) {
		op, err := describe(&rt)
		if err != nil {
			return nil, err
		}
		at, known := paths[rt.Path].(object)
		if !known {
			at = object{}
			paths[rt.Path] = at
		}
		at[strings.ToLower(rt.Method)] = op
	}
	failure, err := schemaOf(reflect.TypeFor[wire.Envelope]())
	if err != nil {
		return nil, err
	}
	return wire.Encode(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "The API of pdpp-host", "version": version,
			"description": "What an owner can do on the command line and in the console, for programs that hold one of the owner's tokens; and for apps, how they ask for access and read what they were granted.",
		},
		"paths":    paths,
		"security": []object{{"token": []string{}}},
		"components": object{
			"schemas": object{"Failure": failure},
			"headers": headers,
			"securitySchemes": object{
				"token":   object{"type": "http", "scheme": "bearer", "description": "made with `pdpp-host tokens create`, or given to an app"},
				"session": object{"type": "apiKey", "in": "cookie", "name": "__Host-pdpp", "description": "of a browser in which the owner is signed in; over plain http its name is pdpp- and the port"},
			},
		},
	})
}

// headers are those that every answer has (RD-04), and those of some refusals.
var headers = object{
	"Request-Id":             header("the request's name in the host's log", object{"type": "string", "pattern": "^req_[a-z2-7]{26}$"}),
	wire.HeaderVersion:       header("the version that is spoken", object{"const": wire.Version}),
	"Cache-Control":          header("no cache keeps it", object{"const": wire.NoStore}),
	"X-Content-Type-Options": header("a body is what it says that it is", object{"const": "nosniff"}),
	"Pragma":                 header("no old cache keeps it either", object{"const": "no-cache"}),
	"Retry-After":            header("seconds to wait", object{"type": "integer", "minimum": 1}),
	"RateLimit-Limit":        some(header("how many may come", object{"type": "integer", "minimum": 1})),
	"RateLimit-Remaining":    some(header("how many may come now", object{"type": "integer", "minimum": 0})),
	"RateLimit-Reset":        some(header("seconds until more may come", object{"type": "integer", "minimum": 1})),
	"WWW-Authenticate":       header("how a token is sent, and where one is asked for", object{"type": "string", "pattern": "^(Bearer|Basic)"}),
	"Allow":                  header("the methods that the path takes", object{"type": "string", "minLength": 1}),
}

// some makes a header one that not every answer of its kind has.
func some(h object) object {
	h["required"] = false
	return h
}

func header(about string, schema object) object {
	return object{"required": true, "description": about, "schema": schema}
}

// headersOf are the headers of one kind of answer: those of all, and some.
func headersOf(some ...string) object {
	all := object{}
	for _, name := range append([]string{"Request-Id", wire.HeaderVersion, "Cache-Control", "X-Content-Type-Options"}, some...) {
		all[name] = object{"$ref": "#/components/headers/" + name}
	}
	all["X-Request-Id"] = object{"$ref": "#/components/headers/Request-Id"}
	return all
}

// tableOf returns all routes: the table's, and those of other faces.
func tableOf(others []wire.Route) []wire.Route {
	table := (*API)(nil).routes()
	all := make([]wire.Route, 0, len(table)+len(others))
	for i := range table {
		all = append(all, table[i].wire())
	}
	return append(all, others...)
}

// wire describes a route of the table.
func (r *route) wire() wire.Route {
	out := wire.Route{
		Method: r.method, Path: r.path, Summary: r.summary, Scope: string(r.scope), In: r.in, Answers: []wire.Answer{{Status: r.status, Out: r.out}}, Tagged: r.tagged, Browser: r.browser, Secret: r.secret,
	}
	if r.stream != nil && r.out == nil {
		out.Answers[0].Media = cmp.Or(r.media, "text/event-stream")
	}
	for _, p := range r.params {
		out.Params = append(out.Params, wire.Param{Name: p.name, About: p.about, Required: p.required, Schema: p.schema()})
	}
	if r.repeats() {
		out.Params = append(out.Params, wire.Param{
			Name: headerKey, Header: true, About: "the same key and body within a day makes one thing", Schema: object{"type": "string", "minLength": 1, "maxLength": longestKey},
		})
	}
	if r.edits {
		out.Params = append(out.Params, wire.Param{Name: "If-Match", Header: true, About: "the ETag that the edit was made of", Schema: object{"type": "string"}})
	}
	return out
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
	failure := object{"$ref": "#/components/schemas/Failure"}
	if r.Failure != nil {
		s, err := schemaOf(r.Failure)
		if err != nil {
			return nil, err
		}
		failure = object{"allOf": []any{s}}
	}
	for status, more := range map[string][]string{"4XX": nil, "401": {"WWW-Authenticate"}, "405": {"Allow"}, "429": {"Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}, "5XX": nil, "503": {"Retry-After"}} {
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
		"summary":     r.Summary, "tags": []string{familyOf(r.Path)}, "parameters": describeParams(r), "responses": responses,
	}
	if r.Scope != "" {
		op["x-pdpp-scope"] = r.Scope
	}
	switch {
	case r.Open:
		op["security"] = []object{}
	case r.Browser:
		op["security"] = []object{{"session": []string{}}}
	}
	body, err := describeBody(r)
	if body != nil {
		op["requestBody"] = object{"required": true, "content": body}
	}
	return op, err
}

// describeBody returns what a body may be; nil: there is none.
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
		return nil, nil //nolint:nilnil // there is none
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

// schemaOf returns the schema of a type as encoding/json writes it.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct && t.NumField() == 0 {
		return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}, nil
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: spelled})
	if err != nil || t.Kind() != reflect.Struct {
		return s, err
	}
	// The library loses a field that has the name of the struct that it is promoted from.
	for f := range t.Fields() {
		if f.Anonymous && f.Tag.Get("json") == "" && f.Type.Kind() == reflect.Struct {
			inner, err := schemaOf(f.Type)
			if err != nil {
				return nil, err
			}
			for name, property := range inner.Properties {
				if s.Properties[name] == nil {
					s.Properties[name] = property
				}
			}
		}
	}
	return s, nil
}

func (c *call) showDocument() error {
	text, err := c.document()
	if err == nil {
		wire.Write(c.w, http.StatusOK, slices.Clone(text))
	}
	return err
}

// schemaText is a schema as a page shows it.
func schemaText(t reflect.Type) (string, error) {
	s, err := schemaOf(t)
	if err != nil {
		return "", err
	}
	b, err := json.MarshalIndent(s, "", "  ")
	return string(b), err
}
