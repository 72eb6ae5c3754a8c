package ownerapi

import (
	"encoding/json"
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

// documentOf returns the OpenAPI 3.1 document of a table.
func documentOf(table []route, version string) ([]byte, error) {
	paths := object{}
	for i := range table {
		rt := &table[i]
		op, err := rt.describe()
		if err != nil {
			return nil, err
		}
		at, known := paths[rt.path].(object)
		if !known {
			at = object{}
			paths[rt.path] = at
		}
		at[strings.ToLower(rt.method)] = op
	}
	failure, err := schemaOf(reflect.TypeFor[wire.Envelope]())
	if err != nil {
		return nil, err
	}
	return wire.Encode(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "The owner's API of pdpp-host", "version": version,
			"description": "What an owner can do on the command line and in the console, for programs that hold one of the owner's tokens.",
		},
		"paths":    paths,
		"security": []object{{"token": []string{}}},
		"components": object{
			"schemas": object{"Failure": failure},
			"securitySchemes": object{
				"token":   object{"type": "http", "scheme": "bearer", "description": "made with `pdpp-host tokens create`"},
				"session": object{"type": "apiKey", "in": "cookie", "name": "__Host-pdpp", "description": "of a browser in which the owner is signed in; over plain http its name is pdpp- and the port"},
			},
		},
	})
}

// describe returns the description of a route.
func (r *route) describe() (object, error) {
	failure := object{
		"description": "an error, with its stable code",
		"content":     object{"application/json": object{"schema": object{"$ref": "#/components/schemas/Failure"}}},
	}
	answer := object{"description": r.summary, "headers": r.describeHeaders()}
	switch {
	case r.out != nil:
		s, err := schemaOf(r.out)
		if err != nil {
			return nil, err
		}
		answer["content"] = object{"application/json": object{"schema": s}}
	case r.media != "":
		answer["content"] = object{r.media: object{}}
	default:
		answer["content"] = object{"text/event-stream": object{"schema": object{"type": "string"}}}
	}
	op := object{
		"operationId": strings.ToLower(r.method) + strings.NewReplacer("/", "_", "{", "", "}", "", "-", "_", ".", "_").Replace(strings.TrimPrefix(r.path, "/v1")),
		"summary":     r.summary, "tags": []string{familyOf(r.path)}, "parameters": r.describeParams(),
		"responses":    object{strconv.Itoa(r.status): answer, "4XX": failure, "5XX": failure},
		"x-pdpp-scope": r.scope,
	}
	if r.browser {
		op["security"] = []object{{"session": []string{}}}
	}
	if r.in != nil {
		s, err := schemaOf(r.in)
		if err != nil {
			return nil, err
		}
		op["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": s}}}
	}
	return op, nil
}

func (r *route) describeHeaders() object {
	h := object{}
	if r.tagged {
		h["ETag"] = object{"description": "what If-Match of an edit names", "schema": object{"type": "string"}}
	}
	return h
}

func (r *route) describeParams() []object {
	all := []object{}
	for part := range strings.SplitSeq(r.path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			all = append(all, object{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": object{"type": "string"}})
		}
	}
	for _, p := range r.readers {
		all = append(all, object{"name": p.Name, "in": "query", "required": p.Required, "description": p.About, "schema": p.Schema})
	}
	for _, p := range r.params {
		all = append(all, object{"name": p.name, "in": "query", "required": p.required, "description": p.about, "schema": p.schema()})
	}
	if r.repeats() {
		all = append(all, object{
			"name": headerKey, "in": "header", "required": false, "description": "the same key and body within a day makes one thing",
			"schema": object{"type": "string", "minLength": 1, "maxLength": longestKey},
		})
	}
	if r.edits {
		all = append(all, object{
			"name": "If-Match", "in": "header", "required": false, "description": "the ETag that the edit was made of", "schema": object{"type": "string"},
		})
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
