package ownerapi

import (
	"context"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/answers"
)

// headerKey names a request that may come again; headerReplayed marks the answer to one that
// did.
const (
	headerKey      = "Idempotency-Key"
	headerReplayed = "Idempotent-Replayed"
)

// longestKey is in bytes.
const longestKey = 200

// once does what the request asks for. A request with a key that comes again gets the answer
// of the first one, and makes nothing (OC-09.1).
func (c *call) once() (*answers.Answer, error) {
	keys := c.r.Header.Values(headerKey)
	if len(keys) == 0 {
		return c.answer()
	}
	switch key := keys[0]; {
	case !c.route.repeats():
		return nil, wire.Invalid(headerKey, "is for POST alone")
	case len(keys) > 1 || key == "" || len(key) > longestKey || strings.ContainsFunc(key, unprintable):
		return nil, wire.Invalid(headerKey, "is not one text of 1 to 200 printable characters")
	}
	// The client may go away meanwhile: what it asked for goes on, and its answer is kept.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context()), c.Work)
	defer cancel()
	c.r = c.r.WithContext(ctx)
	a, again, err := answers.Once(ctx, c.owner, answers.Request{
		Key: keys[0], By: c.caller.Actor.ID, At: c.route.method + " " + c.r.URL.RequestURI(), Body: c.body,
	}, c.answer)
	if err == nil && again {
		c.w.Header().Set(headerReplayed, "true")
	}
	return a, err
}

func unprintable(r rune) bool { return r <= ' ' || r > '~' }

// answer asks for the operation, and returns its result as it is written.
func (c *call) answer() (*answers.Answer, error) {
	result, err := c.route.do(c)
	if err != nil {
		return nil, err
	}
	var body []byte
	if c.route.out != nil {
		if body, err = wire.Encode(result); err != nil {
			return nil, err
		}
	}
	if c.tag != "" {
		c.w.Header().Set("ETag", quote(c.tag))
	}
	return &answers.Answer{Status: c.route.status, Body: body, Secret: c.route.secret}, nil
}

func quote(tag string) string { return `"` + tag + `"` }

// ifMatch returns the revision that an edit was made of; "": any. One that cannot be read is
// no revision that there is.
func (c *call) ifMatch() string {
	sent := strings.Join(c.r.Header.Values("If-Match"), ",")
	if sent == "" || sent == "*" {
		return ""
	}
	tag, ok := strings.CutPrefix(sent, `"`)
	if tag, ok2 := strings.CutSuffix(tag, `"`); ok && ok2 && tag != "" && !strings.Contains(tag, `"`) {
		return tag
	}
	return "none"
}
