package ownerapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
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
	paths, routes := object{}, tableOf(others)
	for _, rt := range routes {
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
	return encodePlain(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "The API of pdpp-host", "version": version, "license": object{"name": "Apache License 2.0", "identifier": "Apache-2.0"},
			"contact":     object{"name": "pdpp-host", "url": "https://github.com/pdpp-host/pdpp-host"},
			"description": "What an owner can do on the command line and in the console, for programs that hold one of the owner's tokens; and for apps, how they ask for access and read what they were granted.",
		},
		"servers":  []object{{"url": "/", "description": "the host that this description was read from"}},
		"tags":     tagsOf(routes),
		"paths":    paths,
		"security": []object{{"token": []string{}}},
		"components": object{
			"schemas": object{"Failure": failure},
			"headers": headers,
			"securitySchemes": object{
				"app": object{"type": "oauth2", "description": "what an owner grants an app", "flows": object{"authorizationCode": object{ //nolint:gosec // addresses
					"authorizationUrl": "/oauth/authorize", "tokenUrl": "/oauth/token", "refreshUrl": "/oauth/token", "scopes": object{},
				}}},
				"token":   object{"type": "http", "scheme": "bearer", "description": "made with `pdpp-host tokens create`, or given to an app"},
				"session": object{"type": "apiKey", "in": "cookie", "name": "__Host-pdpp", "description": "of a browser in which the owner is signed in; over plain http its name is pdpp- and the port"},
			},
		},
	})
}

// headers are those that every answer has (RD-04), and those of some refusals.
var headers = object{
	"Request-Id":             header("the request's name in the host's log", object{"type": "string", "pattern": "^req_[a-z2-7]{26}$"}),
	wire.HeaderVersion:       header("the version that is spoken", object{"type": "string", "const": wire.Version}),
	"Cache-Control":          header("no cache keeps it", object{"type": "string", "const": wire.NoStore}),
	"X-Content-Type-Options": header("a body is what it says that it is", object{"type": "string", "const": "nosniff"}),
	"Pragma":                 header("no old cache keeps it either", object{"type": "string", "const": "no-cache"}),
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
		Method: r.method, Path: r.path, Summary: r.summary, Scope: string(r.scope), In: r.in, Answers: []wire.Answer{{Status: r.status, Out: r.out}}, Tagged: r.tagged, Browser: r.browser, Secret: r.secret, Open: r.open,
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

// encodePlain encodes the document. A schema that takes anything is `{}` there: the library writes `true`,
// which generators of clients do not read.
func encodePlain(doc object) ([]byte, error) {
	b, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var plain object
	if err := json.Unmarshal(b, &plain); err != nil {
		return nil, err
	}
	spellOut(plain)
	return wire.Encode(plain)
}

// spellOut writes each schema `true` below a value as `{}`.
func spellOut(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			spellOut(item)
		}
	case object:
		properties, _ := v["properties"].(object)
		for name, value := range properties {
			if value == true {
				properties[name] = object{}
			}
		}
		for _, word := range []string{"additionalProperties", "items", "not", "schema"} {
			if v[word] == true {
				v[word] = object{}
			}
		}
		for _, value := range v {
			spellOut(value)
		}
	}
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
