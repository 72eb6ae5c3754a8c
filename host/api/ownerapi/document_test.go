package ownerapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"
)

// The description has nothing of an owner's, so that a program reads it before it has a token. An address
// that reads it over and over is slowed.
func TestTheDocumentIsOpen(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for n := range strangersBurst {
		if a := b.send(b.request(http.MethodGet, PathDocument, "")); a.status != http.StatusOK {
			t.Fatalf("request %d without a token: got %d %s, want 200", n+1, a.status, a.body)
		}
	}
	if a := b.send(b.request(http.MethodGet, PathDocument, "")); a.status != http.StatusTooManyRequests {
		t.Errorf("request %d within a second: got %d, want 429", strangersBurst+1, a.status)
	}
	other := b.request(http.MethodGet, PathDocument, "")
	other.RemoteAddr = "198.51.100.7:4444"
	if a := b.send(other); a.status != http.StatusOK {
		t.Errorf("from another address: got %d, want 200", a.status)
	}
}

// Generators of clients and linters read of the document what they need: a server, tags and operations that
// say what they are, and schemas that are objects.
func TestTheDocumentIsReadByGenerators(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	text, err := b.api.document()
	b.ok(err)
	var doc struct {
		Servers []struct {
			URL string `json:"url"`
		} `json:"servers"`
		Info struct {
			License map[string]string `json:"license"`
			Contact map[string]string `json:"contact"`
		} `json:"info"`
		Tags []struct {
			Name        string `json:"name"`
			Description string `json:"description"`
		} `json:"tags"`
		Paths map[string]map[string]struct {
			Summary     string         `json:"summary"`
			Description string         `json:"description"`
			Tags        []string       `json:"tags"`
			Responses   map[string]any `json:"responses"`
		} `json:"paths"`
	}
	b.ok(json.Unmarshal(text, &doc))
	if len(doc.Servers) != 1 || doc.Servers[0].URL != "/" || doc.Info.License["identifier"] == "" || doc.Info.Contact["url"] == "" {
		t.Errorf("got servers %v, license %v, contact %v, want one of each", doc.Servers, doc.Info.License, doc.Info.Contact)
	}
	described := map[string]bool{}
	for _, tag := range doc.Tags {
		if described[tag.Name] = tag.Description != ""; !described[tag.Name] {
			t.Errorf("the tag %s: got no description, want one in tagDescriptions", tag.Name)
		}
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			succeeds := slices.ContainsFunc(slices.Collect(maps.Keys(op.Responses)), func(status string) bool { return status[0] == '2' })
			if len(op.Tags) != 1 || !described[op.Tags[0]] || len(op.Description) <= len(op.Summary) || !succeeds {
				t.Errorf("%s %s: got tags %v, description %q, a success: %v, want all three", method, path, op.Tags, op.Description, succeeds)
			}
		}
	}
	var plain object
	b.ok(json.Unmarshal(text, &plain))
	if at := findTrue(plain, ""); at != "" {
		t.Errorf("got the schema true at %s, want {}", at)
	}
}

// findTrue returns a place where a schema is the word true, or "".
func findTrue(v any, at string) string {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if found := findTrue(item, at+"[]"); found != "" {
				return found
			}
		}
	case object:
		properties, _ := v["properties"].(object)
		for name, value := range properties {
			if value == true {
				return at + ".properties." + name
			}
		}
		for name, value := range v {
			if value == true && slices.Contains([]string{"items", "additionalProperties", "not", "schema"}, name) {
				return at + "." + name
			}
			if found := findTrue(value, at+"."+name); found != "" {
				return found
			}
		}
	}
	return ""
}
