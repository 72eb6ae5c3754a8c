package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdpp-host/pdpp-host/host/api/records"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// Ask puts a question to the readers' routes, for whoever calls. One that is wrong is put to none:
// it is refused in the name of its route, and counted as any read that is refused.
type Ask func(ctx context.Context, path []string, query url.Values, wrong error) *records.Reply

// answers puts a question of a caller who may read.
func answers(ctx context.Context, readers *records.Server, caller *read.Caller, path []string, query url.Values, wrong error) *records.Reply {
	if wrong != nil {
		return readers.Refused(ctx, caller, path, wrong)
	}
	return readers.Ask(ctx, caller, path, query)
}

// Options say what a server tells of itself.
type Options struct {
	Version  string
	Provider string // the address of the routes; of standard input and output a name
	Logger   *slog.Logger
}

// New returns a server whose every call asks.
func New(o Options, ask Ask) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "pdpp-host", Title: "Your collected data", Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructions, Logger: o.Logger, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" }, // a resource is a person's record
	})
	for i := range tools {
		t := &tools[i]
		s.AddTool(&mcp.Tool{
			Name: t.name, Title: t.title, Description: t.about, InputSchema: schemas[i],
			Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false)},
		}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return t.call(ctx, o.Provider, ask, r.Params.Arguments), nil
		})
	}
	for _, r := range resources {
		s.AddResourceTemplate(&mcp.ResourceTemplate{Name: r.name, Title: r.title, Description: r.about, MIMEType: "application/json", URITemplate: r.prefix + "{" + r.name + "}"},
			func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return r.read(ctx, ask, req.Params.URI)
			})
	}
	return s
}

// schemas are those of the tools, in their order.
var schemas = func() (all []json.RawMessage) {
	for i := range tools {
		text, err := json.Marshal(tools[i].schema())
		if err != nil { // of texts and numbers, it never is
			panic(err)
		}
		all = append(all, text)
	}
	return all
}()

// call answers one call of a tool.
func (t *tool) call(ctx context.Context, provider string, ask Ask, raw []byte) *mcp.CallToolResult {
	q, wrong := t.question(raw)
	reply, tell := ask(ctx, q.path, q.query, wrong), t.tell
	if record, is := q.asJSON(reply); is {
		tell = func(a *answer) { a.fieldAsJSON(q.query) }
		reply = ask(ctx, record.path, record.query, nil)
	}
	if reply.Status != http.StatusOK {
		return refused(reply.Body, reply.Status)
	}
	a := newAnswer(q, reply, provider)
	tell(a)
	return a.finish()
}

// question is what a call with these arguments asks; of one that cannot be read it is the route.
func (t *tool) question(raw []byte) (*question, error) {
	args, err := t.read(raw)
	if err == nil {
		var q *question
		if q, err = t.ask(args); err == nil {
			return q, nil
		}
	}
	return &question{path: strings.Split(t.route, "/")}, err
}

// resource is one kind of what a host may read by itself.
type resource struct {
	prefix, name, title, about string
	question                   func(name string) (path []string, query url.Values, err error)
}

// resources are all of them. None is listed: they are found by the tools (RD-59.7).
var resources = []resource{
	{streamScheme, "name", "Stream", "What is declared of a stream.", func(name string) ([]string, url.Values, error) {
		plain, err := url.PathUnescape(name)
		return []string{"v1", "streams", plain}, nil, err
	}},
	{recordScheme, "handle", "Record", "One record.", func(name string) ([]string, url.Values, error) {
		h, err := unpack(name, kindRecord)
		if err != nil {
			return nil, nil, err
		}
		return []string{"v1", "streams", h.Stream, "records", h.Record}, url.Values{"connection_id": {h.Connection}}, nil
	}},
	{windowScheme, "handle", "Part of a text", "A part of one text of a record.", func(name string) ([]string, url.Values, error) {
		h, err := unpack(name, kindWindow)
		if err != nil {
			return nil, nil, err
		}
		return []string{"v1", "streams", h.Stream, "records", h.Record, "field-window"}, h.window(), nil
	}},
}

func (r *resource) read(ctx context.Context, ask Ask, uri string) (*mcp.ReadResourceResult, error) {
	path, query, err := r.question(strings.TrimPrefix(uri, r.prefix))
	if err != nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	reply := ask(ctx, path, query, nil)
	if reply.Status != http.StatusOK { // what is refused and what is not there are one here
		return nil, mcp.ResourceNotFoundError(uri)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(reply.Body)}}}, nil
}
