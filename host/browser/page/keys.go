package page

import (
	"context"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// key is a key as the browser knows it.
type key struct {
	code int
	text string
}

// keys are those that are pressed by name.
var keys = map[string]key{
	"Enter": {13, "\r"}, "Tab": {9, ""}, "Escape": {27, ""}, "ArrowUp": {38, ""}, "ArrowDown": {40, ""}, "ArrowLeft": {37, ""},
	"ArrowRight": {39, ""}, "PageUp": {33, ""}, "PageDown": {34, ""},
}

// Press presses a key, in an element when one is named.
func (p *Page) Press(ctx context.Context, selector, name string) error {
	k, ok := keys[name]
	if !ok {
		return abi.NewError(abi.CodeBrowserRequest, "there is no key "+clip(name, mostText), "see abi/ABI.md, section Browser")
	}
	if selector != "" {
		var n int
		if err := p.run(ctx, &n, `s => {`+look+` const {n, e} = one(s, null); e?.focus(); return n }`, selector); err != nil {
			return err
		}
		if n != 1 {
			return chosen(n)
		}
	}
	down := proto.InputDispatchKeyEvent{Type: proto.InputDispatchKeyEventTypeRawKeyDown, Key: name, Code: name, WindowsVirtualKeyCode: k.code}
	if k.text != "" {
		down.Type, down.Text = proto.InputDispatchKeyEventTypeKeyDown, k.text
	}
	if err := p.call(ctx, down); err != nil {
		return p.settled(err)
	}
	return p.settled(p.call(ctx, proto.InputDispatchKeyEvent{Type: proto.InputDispatchKeyEventTypeKeyUp, Key: name, Code: name, WindowsVirtualKeyCode: k.code}))
}
