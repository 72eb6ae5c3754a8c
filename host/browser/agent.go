package browser

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/host/browser/launch"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

// agents are the user agents of programs by their paths, as begin has learnt them.
var agents sync.Map

// begin starts the program with the user agent that it has with a window, where headless is no
// word of it (BR-20). That has to be on the command line, so a program that is not known yet, or
// is another one by now, is started once to be asked.
func (b *Browser) begin(ctx context.Context) error {
	if b.request.Display != nil { // with a window it says so itself
		_, err := b.launch(ctx, "")
		return err
	}
	known, _ := agents.Load(b.request.Program)
	agent, _ := known.(string)
	own, err := b.launch(ctx, agent)
	if err == nil && agent != "" && !strings.Contains(agent, major(b.Product)) {
		if own, err = b.again(ctx, ""); err != nil {
			return err
		}
	}
	if plain := strings.Replace(own, "HeadlessChrome/", "Chrome/", 1); err == nil && plain != own {
		agents.Store(b.request.Program, plain)
		_, err = b.again(ctx, plain)
	}
	return err
}

// again starts the program anew with another user agent.
func (b *Browser) again(ctx context.Context, agent string) (own string, err error) {
	quit := b.quit()
	b.process, b.line = nil, nil
	own, err = b.launch(ctx, agent)
	return own, errors.Join(quit, err)
}

// launch starts the program, and returns which user agent it has.
func (b *Browser) launch(ctx context.Context, agent string) (own string, err error) {
	r := &b.request
	process, err := launch.Start(launch.Options{
		Program: r.Program, Folder: b.held.Path, Temp: b.temp.path, Proxy: b.wall.Address(), Lang: r.Lang, Display: r.Display, Agent: agent,
		Unmarked: r.Unmarked, Unsandboxed: r.Unsandboxed, Trust: r.Trust, Stored: cmp.Or(r.Stored, mostStored),
	})
	if err != nil {
		return "", err
	}
	b.process, b.line = process, wire.New(process.Pipe, callTime)
	version, err := proto.BrowserGetVersion{}.Call(b.line.On(ctx, ""))
	if err != nil {
		return "", err
	}
	b.Product = strings.TrimPrefix(version.Product, "Headless")
	return version.UserAgent, nil
}

// major is what a product's version begins with, as user agents have it: "Chrome/156.".
func major(product string) string {
	name, version, _ := strings.Cut(product, "/")
	version, _, _ = strings.Cut(version, ".")
	return name + "/" + version + "."
}
