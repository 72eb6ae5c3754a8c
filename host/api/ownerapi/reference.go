package ownerapi

import (
	_ "embed"
	"html/template"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
)

// PathReference is the page that shows the document to the owner's browser.
const PathReference = "/api-reference"

//go:embed reference.html
var referenceText string

var referencePage = template.Must(template.New("reference").Parse(referenceText))

// shown is a route as the page shows it.
type shown struct {
	Method, Path, Summary, Scope string
	Open, Browser                bool // see wire.Route
	Statuses                     []int
	Params                       []shownParam
	Takes, Gives                 string // JSON Schema
}

type shownParam struct{ Name, In, About string }

// Reference is the body of the page that shows all routes, as HTML. It shows no data of the
// owner's.
func (a *API) Reference() (string, error) {
	var all []shown
	for _, rt := range tableOf(a.Others) {
		s, err := show(&rt)
		if err != nil {
			return "", err
		}
		all = append(all, s)
	}
	var b strings.Builder
	err := referencePage.Execute(&b, all)
	return b.String(), err
}

func show(r *wire.Route) (shown, error) {
	s := shown{Method: r.Method, Path: r.Path, Summary: r.Summary, Scope: r.Scope, Open: r.Open, Browser: r.Browser}
	for _, p := range describeParams(r) {
		name, _ := p["name"].(string)
		in, _ := p["in"].(string)
		about, _ := p["description"].(string)
		s.Params = append(s.Params, shownParam{name, in, about})
	}
	for _, p := range r.Form {
		s.Params = append(s.Params, shownParam{p.Name, "form", p.About})
	}
	var err error
	if r.In != nil {
		if s.Takes, err = schemaText(r.In); err != nil {
			return s, err
		}
	}
	for _, a := range r.Answers {
		s.Statuses = append(s.Statuses, a.Status)
		if a.Out != nil && s.Gives == "" {
			if s.Gives, err = schemaText(a.Out); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}
