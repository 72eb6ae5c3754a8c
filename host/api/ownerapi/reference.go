package ownerapi

import (
	_ "embed"
	"html/template"
	"strings"
)

// PathReference is the page that shows the document to the owner's browser.
const PathReference = "/api-reference"

//go:embed reference.html
var referenceText string

var referencePage = template.Must(template.New("reference").Parse(referenceText))

// shown is a route as the page shows it.
type shown struct {
	Method, Path, Summary, Scope string
	Status                       int
	Browser                      bool // see route
	Params                       []shownParam
	Takes, Gives                 string // JSON Schema
}

type shownParam struct{ Name, In, About string }

// Reference is the body of the page that shows the table of routes, as HTML. It shows no data
// of the owner's.
func (a *API) Reference() (string, error) {
	var all []shown
	table := a.described()
	for i := range table {
		s, err := table[i].shown()
		if err != nil {
			return "", err
		}
		all = append(all, s)
	}
	var b strings.Builder
	err := referencePage.Execute(&b, all)
	return b.String(), err
}

func (r *route) shown() (shown, error) {
	s := shown{Method: r.method, Path: r.path, Summary: r.summary, Scope: string(r.scope), Status: r.status, Browser: r.browser}
	for _, p := range r.describeParams() {
		name, _ := p["name"].(string)
		in, _ := p["in"].(string)
		about, _ := p["description"].(string)
		s.Params = append(s.Params, shownParam{name, in, about})
	}
	var err error
	if r.in != nil {
		if s.Takes, err = schemaText(r.in); err != nil {
			return s, err
		}
	}
	if r.out != nil {
		s.Gives, err = schemaText(r.out)
	}
	return s, err
}
