package schema

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// location is the base for a schema's relative references. No loader knows its scheme.
const location = "pdpp-stream://schema/root.json"

// Limits of the compiled schema.
const (
	// maxInPlace bounds the schemas that apply others to the same value ($ref, allOf,
	// ...), and with them the depth of the library's recursion.
	maxInPlace = 512
	// maxCount bounds minLength and similar keywords, which the library stores as int.
	maxCount = 1 << 53
)

// library compiles one schema with the library, without access to other documents.
type library struct {
	compiler *jsonschema.Compiler
	regexps  regexps
	collect  bool                 // collect schemas
	schemas  []*jsonschema.Schema // every object schema compiled, with collect
	problem  *Problem
}

// refuseLoader refuses every reference to another document: a guest's schema opens no
// file and no connection. (The library contains the published metaschemas and resolves
// those itself.)
type refuseLoader struct{}

func (refuseLoader) Load(string) (any, error) {
	return nil, errors.New("a schema may not refer to another document")
}

func newLibrary() *library {
	l := &library{compiler: jsonschema.NewCompiler()}
	l.compiler.DefaultDraft(jsonschema.Draft2020)
	l.compiler.AssertFormat()
	l.compiler.UseLoader(refuseLoader{})
	l.compiler.UseRegexpEngine(l.regexps.compile)
	return l
}

func (l *library) compile(doc any) (root *jsonschema.Schema, err error) {
	// The library is foreign, and the schema comes from a guest.
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, &Problem{"", "cannot be compiled"}
		}
	}()
	if l.collect {
		// The vocabulary has no keyword. Its hook reaches each schema object,
		// including dynamic anchors.
		l.compiler.RegisterVocabulary(&jsonschema.Vocabulary{URL: "urn:pdpp:meter", Compile: l.gather})
		l.compiler.AssertVocabs()
	}
	if err := l.compiler.AddResource(location, doc); err != nil {
		return nil, problem(err)
	}
	root, err = l.compiler.Compile(location)
	if err != nil {
		return nil, problem(err)
	}
	if l.problem != nil {
		return nil, l.problem
	}
	return root, nil
}

// counts are the keywords whose number the library stores as an int.
var counts = []string{
	"minLength", "maxLength", "minItems", "maxItems",
	"minProperties", "maxProperties", "minContains", "maxContains",
}

func (l *library) gather(ctx *jsonschema.CompilerContext, object map[string]any) (jsonschema.SchemaExt, error) {
	s := ctx.Enqueue(nil) // the schema being compiled, since it is already in the queue
	l.schemas = append(l.schemas, s)
	for _, keyword := range counts {
		n, ok := object[keyword]
		if !ok {
			continue
		}
		r, ok := new(big.Rat).SetString(fmt.Sprint(n))
		if ok && r.Cmp(big.NewRat(maxCount, 1)) > 0 {
			l.problem = &Problem{fragment(s.Location) + "/" + keyword, "is out of range"}
		}
	}
	return nil, nil
}

// bounded refuses a schema whose validation cannot be bounded by the budget.
func (l *library) bounded() error {
	inPlace := 0
	for _, s := range l.schemas {
		if s.DraftVersion != 2020 {
			return &Problem{fragment(s.Location), "is not of JSON Schema 2020-12"}
		}
		if len(inPlaceOf(s)) > 0 {
			inPlace++
		}
	}
	if inPlace > maxInPlace {
		return &Problem{"", fmt.Sprintf("applies schemas in place ($ref, allOf, ...) at more than %d places", maxInPlace)}
	}
	return nil
}

// declared returns the member names in the schema itself.
func (l *library) declared() map[string]bool {
	names := map[string]bool{}
	for _, s := range l.schemas {
		for name := range s.Properties {
			names[name] = true
		}
		for _, name := range s.Required {
			names[name] = true
		}
	}
	return names
}

// inPlaceOf returns the schemas that s applies to its own value.
func inPlaceOf(s *jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	for _, sub := range []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else} {
		if sub != nil {
			all = append(all, sub)
		}
	}
	if s.DynamicRef != nil && s.DynamicRef.Ref != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	all = append(append(append(all, s.AllOf...), s.AnyOf...), s.OneOf...)
	for _, sub := range s.DependentSchemas {
		all = append(all, sub)
	}
	return all
}

// fragment returns the JSON pointer of a schema's location.
func fragment(loc string) string {
	_, pointer, _ := strings.Cut(loc, "#")
	return pointer
}

// problem turns the library's error into one with the place.
func problem(err error) *Problem {
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if failure, ok := errors.AsType[*jsonschema.ValidationError](invalid.Err); ok {
			leaf := firstLeaf(failure)
			return &Problem{join(leaf.tokens), "fails the metaschema's " + leaf.keyword}
		}
		return &Problem{"", "fails the metaschema"}
	}
	if _, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return &Problem{"", "refers to another document: a schema must hold all that it refers to"}
	}
	if re, ok := errors.AsType[*jsonschema.InvalidRegexError](err); ok {
		return &Problem{fragment(re.URL), "is not a regular expression that the host accepts (RE2)"}
	}
	return &Problem{"", clip(err.Error())}
}

// clip bounds a text of the library that may quote the schema.
func clip(s string) string {
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "..."
	}
	return s
}
