package page

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Eval runs a connector's function in the connector's world of a document, and returns its
// result as JSON. allow sees the host of exactly that document.
func (p *Page) Eval(ctx context.Context, fn string, args []byte, allow func(Field) error) ([]byte, error) {
	in, err := p.world(ctx, guest)
	if err != nil {
		return nil, p.settled(err)
	}
	// No script can shadow window.location, and a context belongs to one document alone.
	where, err := p.evaluate(ctx, in, `window.location.protocol + "//" + window.location.host`)
	if err != nil {
		return nil, p.settled(err)
	}
	if err := allow(placeOf(where)); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = []byte("null")
	}
	text, err := p.evaluate(ctx, in, "(async () => { const r = JSON.stringify(await ("+fn+"\n)("+string(args)+") ?? null) ?? 'null'; return r.length > "+
		fmt.Sprint(abi.BrowserResult)+" ? '' : r })()")
	switch {
	case err != nil:
		return nil, p.settled(err)
	case text == "" || len(text) > abi.BrowserResult:
		return nil, tooLarge()
	case !json.Valid([]byte(text)):
		return nil, abi.NewError(abi.CodeBrowserScript, "the result is no JSON", "return what JSON can hold")
	}
	return []byte(text), nil
}

func placeOf(origin string) Field {
	const scheme = "https://"
	if len(origin) > len(scheme) && origin[:len(scheme)] == scheme {
		return Field{Host: origin[len(scheme):], Secure: true}
	}
	return Field{Host: origin}
}

// Fetched is one answer of Fetch.
type Fetched struct {
	Status  int               `json:"status"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Text    string            `json:"text"` // base64
	Error   string            `json:"error"`
	Large   bool              `json:"large"`
	Body    []byte            `json:"-"`
}

// Fetch has the page fetch addresses with its own cookies, a few at a time.
func (p *Page) Fetch(ctx context.Context, asks []abi.BrowserAsk) ([]Fetched, error) {
	var got []Fetched
	err := p.run(ctx, &got, fmt.Sprintf(`async asks => {
		const out = [], most = %d;
		const read = async r => {
			const parts = [], reader = r.body?.getReader(); let n = 0;
			for (; reader;) {
				const {done, value} = await reader.read();
				if (done) break;
				if ((n += value.length) > most) { reader.cancel(); return null }
				parts.push(value);
			}
			let text = "";
			const whole = new Uint8Array(await new Blob(parts).arrayBuffer());
			for (let i = 0; i < whole.length; i += 32768) text += String.fromCharCode.apply(null, whole.subarray(i, i + 32768));
			return btoa(text);
		};
		const one = async a => {
			try {
				const r = await fetch(a.url, {method: a.method || "GET", headers: a.headers || {}, body: a.body || undefined, credentials: "include"});
				const text = await read(r), headers = {};
				r.headers.forEach((v, k) => { headers[k] = v });
				return text == null ? {status: r.status, url: r.url, large: true} : {status: r.status, url: r.url, headers, text};
			} catch (e) { return {error: String(e).slice(0, 200)} }
		};
		let next = 0;
		const lane = async () => { for (let i; (i = next++) < asks.length;) out[i] = await one(asks[i]) };
		await Promise.all([...Array(8)].map(lane));
		return out }`, abi.BrowserFetchBytes), asks)
	if err != nil {
		return nil, err
	}
	total := 0
	for i := range got {
		if got[i].Body, err = base64.StdEncoding.DecodeString(got[i].Text); err != nil {
			return nil, abi.NewError(abi.CodeBrowserScript, "the browser's answer cannot be read", "run it again")
		}
		got[i].Text = ""
		if total += len(got[i].Body); total > abi.BrowserFetchesBytes {
			return nil, tooLarge()
		}
	}
	if len(got) != len(asks) {
		return nil, abi.NewError(abi.CodeBrowserScript, "the browser's answer cannot be read", "run it again")
	}
	return got, nil
}
