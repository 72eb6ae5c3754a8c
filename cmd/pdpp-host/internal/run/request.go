package run

import (
	"fmt"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// request reads the flags. A question that only the manifest can answer (does the stream
// exist?) is left to it.
func (f flags) request(now time.Time) (running.Request, error) {
	req := running.Request{
		Request: run.Request{
			Connection: f.connection, Streams: f.streams, Mode: abi.ModeIncremental, Timeout: f.timeout, AcceptRoot: f.acceptRoot, AcceptDeletions: f.acceptDeletions, Force: f.force,
		},
		MaxRequests: f.maxRequests, RecordTo: f.record,
	}
	if f.full {
		req.Mode = abi.ModeFullRefresh
	}
	if f.timeout < 0 {
		return req, syntax.Usage("--timeout is below zero", "write a duration, as in 30m")
	}
	if f.maxRequests < 0 {
		return req, syntax.Usage("--max-requests is below zero", "write a whole number above zero, or leave it out")
	}
	if f.connection != "" && !modules.ValidName(f.connection) {
		return req, syntax.Usage("the value of --connection is no name", "use letters, digits, '.', '_' and '-'")
	}
	var err error
	if f.since != "" {
		if req.Since, err = syntax.Time("--since", f.since, now); err != nil {
			return req, err
		}
	}
	if req.Roots, err = syntax.Pairs("--root", "NAME=PATH", f.roots); err != nil {
		return req, err
	}
	if req.Options, err = syntax.Pairs("--set", "KEY=VALUE", f.set); err != nil {
		return req, err
	}
	for _, r := range f.resources {
		stream, key, ok := strings.Cut(r, "=")
		if !ok || stream == "" || key == "" {
			return req, syntax.Usage(fmt.Sprintf("--resource %q is not STREAM=KEY", r), "write it as --resource messages=KEY")
		}
		if req.Resources == nil {
			req.Resources = map[string][]string{}
		}
		req.Resources[stream] = append(req.Resources[stream], key)
	}
	return req, nil
}
