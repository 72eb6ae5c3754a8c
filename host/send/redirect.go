package send

import (
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
)

// crossOrigin are the request headers that are not sent to another origin.
var crossOrigin = []string{"Authorization", "Cookie", "Proxy-Authorization", "Www-Authenticate"}

// redirect returns the next request of a chain, nil if resp is the answer. The
// transport checks its address like any other; this function only keeps it on https
// and removes secrets.
func redirect(req *http.Request, resp *Response) (*http.Request, error) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		return nil, nil
	}
	switch resp.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	location := resp.Header.Get("Location")
	if location == "" {
		return nil, nil
	}
	to, err := req.URL.Parse(location)
	if err != nil || to.Scheme != req.URL.Scheme && to.Scheme != "https" || to.Host == "" {
		return nil, abi.NewError(CodeRedirectRefused, "the provider redirects to an address that cannot be followed",
			"the connector should ask for the final address")
	}
	next := req.Clone(req.Context())
	next.URL, next.Host = to, ""
	next.URL.Fragment = ""
	if to.Host != req.URL.Host || to.Scheme != req.URL.Scheme {
		for _, name := range crossOrigin {
			next.Header.Del(name)
		}
	}
	return next, nil
}

// ledAway returns the failure of a request that a redirect led to. A private address that the provider has chosen
// is none that the owner should except, as the hint of the transport says to whoever typed one.
func ledAway(err error) error {
	switch code := abi.CodeOf(err); code {
	case "egress.address_refused", "egress.scheme_refused":
		return abi.NewError(CodeRedirectRefused, "the provider redirects to an address that is not reached ("+string(code)+")",
			"look at what the provider says of its addresses; nothing has to be allowed for it")
	}
	return err
}
