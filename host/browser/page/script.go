package page

import (
	"context"
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
	case depth(text) > abi.MaxNesting:
		return nil, tooLarge()
	}
	return []byte(text), nil
}

// depth is how deep arrays and objects nest in a text of JSON.
func depth(text string) (most int) {
	now, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[', c == '{':
			now++
			most = max(most, now)
		case c == ']', c == '}':
			now--
		}
	}
	return most
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
	Body    []byte            `json:"body"`
	Error   string            `json:"error"`
	Large   bool              `json:"large"`
}

// base64Of defines base64 for the host's functions: encoded bytes take the same room whatever they are.
const base64Of = `
const base64 = bytes => {
	let text = "";
	for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode.apply(null, bytes.subarray(i, i + 32768));
	return btoa(text);
};
`

// Fetch has the page fetch addresses with its own cookies, a few at a time. Their bodies have
// no more than most bytes together: those that do not fit in are too large.
func (p *Page) Fetch(ctx context.Context, asks []abi.BrowserAsk, most int) ([]Fetched, error) {
	var got []Fetched
	err := p.run(ctx, &got, fmt.Sprintf(`async (asks, left) => {`+base64Of+`
		const out = [], most = %d;
		const read = async r => {
			const parts = [], reader = r.body?.getReader(); let n = 0;
			for (; reader;) {
				const {done, value} = await reader.read();
				if (done) break;
				if ((n += value.length) > Math.min(most, left)) { reader.cancel(); return null }
				parts.push(value);
			}
			const whole = new Uint8Array(await new Blob(parts).arrayBuffer());
			if (n > left) return null;
			left -= n;
			return base64(whole);
		};
		const one = async a => {
			try {
				const r = await fetch(a.url, {method: a.method || "GET", headers: a.headers || {}, body: a.body || undefined, credentials: "include"});
				const body = await read(r), headers = {};
				r.headers.forEach((v, k) => { headers[k] = v });
				return body == null ? {status: r.status, url: r.url, large: true} : {status: r.status, url: r.url, headers, body};
			} catch (e) { return {error: String(e).slice(0, 200)} }
		};
		let next = 0;
		const lane = async () => { for (let i; (i = next++) < asks.length;) out[i] = await one(asks[i]) };
		await Promise.all([...Array(8)].map(lane));
		return out }`, abi.BrowserFetchBytes), asks, most)
	if err != nil {
		return nil, err
	}
	for i := range got {
		most -= len(got[i].Body)
	}
	if len(got) != len(asks) || most < 0 {
		return nil, abi.NewError(abi.CodeBrowserScript, "the browser's answer cannot be read", "run it again")
	}
	return got, nil
}
