package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdpp-host/pdpp-host/host/api/records"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// Path is where a model's host speaks to it.
const Path = "/mcp"

// Route describes the path for the document of the API. MCP describes its messages.
func Route() wire.Route {
	return wire.Route{
		Method: http.MethodPost, Path: Path, Summary: "One message of MCP, by Streamable HTTP", In: reflect.TypeFor[map[string]any](), Foreign: true,
		Answers: append(wire.OK[map[string]any](), wire.Answer{Status: http.StatusAccepted}),
	}
}

// atMost is how long one request may take.
const atMost = 30 * time.Second

// Handler answers at Path. It is safe for concurrent use.
type Handler struct {
	options  Options
	readers  *records.Server
	metadata string
	inner    http.Handler
}

// admitted is the key of the server of a request.
type admitted struct{}

// NewHandler returns a handler that puts its questions to the readers' routes. metadata is the path at
// which clients learn where to ask for access.
func NewHandler(o Options, readers *records.Server, metadata string) *Handler {
	serverOf := func(r *http.Request) *mcp.Server {
		s, _ := r.Context().Value(admitted{}).(*mcp.Server)
		return s
	}
	return &Handler{o, readers, metadata, mcp.NewStreamableHTTPHandler(serverOf, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: o.Logger, MaxRequestBodyBytes: wire.MaxBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the guard knows the names of this host, on every address
	})}
}

// ServeHTTP answers one request. Nothing is kept between two of them: each proves its token,
// and is answered under what the token shows then (RD-58.1).
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		h.readers.Refuse(w, r, &wire.Failure{Status: http.StatusMethodNotAllowed, Code: wire.CodeMethod, Message: "this path takes POST"})
		return
	}
	if http.NewCrossOriginProtection().Check(r) != nil {
		h.readers.Refuse(w, r, &wire.Failure{Status: http.StatusForbidden, Code: "permission_error", Message: "the request comes from a page of another origin"})
		return
	}
	body, err := wire.ReadBody(w, r) // before there is a turn to hold: its sender may be slow
	caller, turn, leave, ok := h.readers.Admit(w, r, h.metadata)
	if !ok {
		return
	}
	defer leave()
	if f, refused := err.(*wire.Failure); refused { //nolint:errorlint // it is made here
		h.readers.Refuse(w, r, f)
		return
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) { // many calls would count as one
		h.readers.Refuse(w, r, wire.Invalid("", "is a batch: send one message at a time"))
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	ctx, cancel := context.WithTimeout(r.Context(), atMost)
	defer cancel()
	o := h.options
	o.Provider = h.readers.Guard.Base(r)
	s := New(o, func(ctx context.Context, path []string, query url.Values, wrong error) *records.Reply {
		return answers(ctx, h.readers, caller, path, query, wrong)
	})
	h.inner.ServeHTTP(&answering{w, turn}, r.WithContext(context.WithValue(ctx, admitted{}, s)))
}

// answering keeps answers out of caches, whatever the SDK says of them (RD-04.3), and gives back
// the turn of a request once there is an answer to write: its reader may be slow.
type answering struct {
	http.ResponseWriter

	turn func()
}

func (a *answering) WriteHeader(status int) {
	a.begin()
	a.ResponseWriter.WriteHeader(status)
}

func (a *answering) Write(p []byte) (int, error) {
	a.begin()
	return a.ResponseWriter.Write(p)
}

func (a *answering) begin() {
	a.Header().Set("Cache-Control", wire.NoStore)
	a.turn()
}

// Unwrap is what http.ResponseController goes on with.
func (a *answering) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Under returns a question that finds its caller anew each time, so that a revocation holds
// from the next call on.
func Under(readers *records.Server, who func(context.Context) (*read.Caller, error)) Ask {
	return func(ctx context.Context, path []string, query url.Values, wrong error) *records.Reply {
		caller, err := who(ctx)
		if err != nil {
			wrong = err
		}
		return answers(ctx, readers, caller, path, query, wrong)
	}
}
