package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// request reads the flags of `run` into what host/run asks for. What only the
// manifest can decide (does the stream exist?) is decided there.
func (f runFlags) request(now time.Time) (run.Request, error) {
	req := run.Request{Connection: f.connection, Streams: f.streams, Mode: abi.ModeIncremental, Timeout: f.timeout, AcceptRoot: f.acceptRoot, Force: f.force}
	if f.full {
		req.Mode = abi.ModeFullRefresh
	}
	if f.timeout < 0 {
		return req, usage("--timeout is below zero", "write a duration, as in 30m")
	}
	if f.maxRequests < 0 {
		return req, usage("--max-requests is below zero", "write a whole number above zero, or leave it out")
	}
	if f.connection != "" && !modules.ValidName(f.connection) {
		return req, usage("the value of --connection is no name", "use letters, digits, '.', '_' and '-'")
	}
	var err error
	if f.since != "" {
		if req.Since, err = syntax.Time("--since", f.since, now); err != nil {
			return req, err
		}
	}
	if req.Roots, err = pairs("--root", "NAME=PATH", f.roots); err != nil {
		return req, err
	}
	if req.Options, err = pairs("--set", "KEY=VALUE", f.set); err != nil {
		return req, err
	}
	for _, r := range f.resources {
		stream, key, ok := strings.Cut(r, "=")
		if !ok || stream == "" || key == "" {
			return req, usage(fmt.Sprintf("--resource %q is not STREAM=KEY", r), "write it as --resource messages=KEY")
		}
		if req.Resources == nil {
			req.Resources = map[string][]string{}
		}
		req.Resources[stream] = append(req.Resources[stream], key)
	}
	return req, nil
}

// pairs reads NAME=VALUE flags.
func pairs(flag, form string, given []string) (map[string]string, error) {
	return syntax.Pairs(flag, form, given)
}
