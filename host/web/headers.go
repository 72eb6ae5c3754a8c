package web

import "net/http"

// policy lets a page load what this host serves, and nothing from anywhere else. No script
// or style stands in a page itself.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// confine sets the headers of every answer (OC-07).
func confine(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Cache-Control", "no-store")
}

// Confined answers with next, and confines the browser: for what anybody may see.
func Confined(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		confine(w.Header())
		next.ServeHTTP(w, r)
	})
}

// Handler answers with next, once the request's host is known, its caller is identified and
// a change is proven. refuse answers what is not: it says the error in the form of its face.
func (g *Guard) Handler(next http.Handler, refuse func(w http.ResponseWriter, r *http.Request, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		confine(w.Header())
		if !g.Knows(r.Host) {
			refuse(w, r, UnknownHost())
			return
		}
		asked := r
		r, err := g.Identify(r)
		if err == nil {
			err = g.CheckChange(r)
		}
		if err != nil {
			refuse(w, r, err)
			return
		}
		defer func() { asked.Pattern = r.Pattern }() // for who measures
		next.ServeHTTP(w, r)
	})
}
