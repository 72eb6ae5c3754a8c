package op

import (
	"context"
	"encoding/json"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/page"
	"github.com/pdpp-host/pdpp-host/host/browser/watch"
)

func (o *Ops) probe(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.pages.Page(r.Page)
	if err == nil {
		err = o.selectors(r.Selectors...)
	}
	if err != nil {
		return nil, nil, err
	}
	found, err := p.Probe(ctx, r.Selectors)
	return &abi.BrowserAnswer{Found: found}, nil, err
}

// readable returns a page whose text the connector may have: one of its provider.
func (o *Ops) readable(ctx context.Context, r *abi.BrowserRequest) (*page.Page, error) {
	p, err := o.pages.Page(r.Page)
	if err != nil {
		return nil, err
	}
	address, _ := p.Info(ctx)
	return p, o.provider(address)
}

func (o *Ops) text(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.readable(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if (r.Do == abi.BrowserAttr) == (r.Name == "") {
		return nil, nil, invalid("attr has the name of an attribute, and text has none")
	}
	values, n, err := p.Texts(ctx, r.Selector, r.Name, r.All)
	if err != nil {
		return nil, nil, err
	}
	body, err := json.Marshal(values)
	return &abi.BrowserAnswer{N: &n}, body, err
}

func (o *Ops) html(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.readable(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	body, err := p.HTML(ctx, r.Selector)
	size := int64(len(body))
	return &abi.BrowserAnswer{Bytes: &size}, body, err
}

func (o *Ops) click(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.pages.Page(r.Page)
	if err == nil {
		err = o.selectors(r.Selector)
	}
	if err != nil {
		return nil, nil, err
	}
	passed, last := p.Passed(), o.pages.Last()
	if err := o.codes.submit(ctx, o.options.Keep); err != nil {
		return nil, nil, err
	}
	if err := p.Click(ctx, r.Selector, r.Nth); err != nil {
		return nil, nil, err
	}
	switch r.Expect {
	case "", abi.ExpectDownload: // download.next waits for it
	case abi.ExpectNavigation:
		if err := p.Arrive(ctx, passed, r.Until); err != nil {
			return nil, nil, err
		}
	case abi.ExpectPopup:
		if p, err = o.pages.Opened(ctx, p, last); err != nil {
			return nil, nil, err
		}
	default:
		return nil, nil, invalid("expect is none of navigation, popup and download")
	}
	return o.at(ctx, p, &abi.BrowserAnswer{}), nil, nil
}

func (o *Ops) press(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.pages.Page(r.Page)
	if err == nil {
		err = o.selectors(r.Selector)
	}
	if err != nil {
		return nil, nil, err
	}
	if o.signIn != nil && r.Key != "Enter" && r.Key != "Tab" {
		return nil, nil, abi.NewError(abi.CodeBrowserSignIn, "Enter and Tab alone are pressed while the owner is signed in", "")
	}
	if r.Key == "Enter" || r.Key == "Tab" { // there are forms that send on leaving a field
		if err := o.codes.submit(ctx, o.options.Keep); err != nil {
			return nil, nil, err
		}
	}
	if err := p.Press(ctx, r.Selector, r.Key); err != nil {
		return nil, nil, err
	}
	return o.at(ctx, p, &abi.BrowserAnswer{}), nil, nil
}

func (o *Ops) choose(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.pages.Page(r.Page)
	if err != nil {
		return nil, nil, err
	}
	return &abi.BrowserAnswer{}, nil, p.Choose(ctx, r.Selector, r.Nth, r.Values)
}

func (o *Ops) eval(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.pages.Page(r.Page)
	if err != nil {
		return nil, nil, err
	}
	body, err := p.Eval(ctx, r.Fn, r.Args, func(f page.Field) error {
		if !f.Secure {
			return o.provider("")
		}
		return o.provider("https://" + f.Host)
	})
	size := int64(len(body))
	return &abi.BrowserAnswer{Bytes: &size}, body, err
}

// checkpoint is progress that the connector tells of (BR-11).
func (o *Ops) checkpoint(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	if !isLabel(r.Label) {
		return nil, nil, invalid("label is no label")
	}
	if err := o.labels(r.Label); err != nil {
		return nil, nil, err
	}
	o.mark(r.Label)
	switch {
	case r.Label == watch.LabelBegin:
		o.dog.happens(watch.Begin, "")
	case r.Label == watch.LabelEstablished && o.signIn == nil:
		o.dog.happens(watch.End, "")
	default:
		o.dog.happens(watch.Checkpoint, r.Label)
	}
	o.outline(ctx, r.Page, r.Label, abi.BrowserCaptures-1) // a watchdog has one left
	return &abi.BrowserAnswer{}, nil, nil
}

// mark keeps a checkpoint as an event of the run: the connector's, and the host's around them. They
// are bounded together, because a guest can sign in again and again.
func (o *Ops) mark(label string) {
	o.lock.Lock()
	o.marks++
	most := o.marks > 2*abi.BrowserCheckpoints
	o.lock.Unlock()
	if most {
		return
	}
	o.options.Tell("run.browser_checkpoint", map[string]any{"label": label})
}

// labels counts a checkpoint, and refuses one too many.
func (o *Ops) labels(label string) error {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.repeats++
	if o.label != label {
		o.label, o.repeats = label, 1
	}
	if o.labelled++; o.labelled > abi.BrowserCheckpoints || o.repeats > abi.BrowserRepeats {
		return abi.NewError(abi.CodeBrowserTooMany, "too many checkpoints, or the same one too often", "a checkpoint is progress")
	}
	return nil
}

func isLabel(s string) bool {
	for i := range len(s) {
		c := s[i]
		word := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !word && (i == 0 || c != ':' && c != '_' && c != '-') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}
