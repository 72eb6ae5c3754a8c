package reddit

import (
	"net/http"
	"strings"
)

// Site is the account as Reddit's site answers with it: /api/me.json, and each list under its
// path with .json behind it. knows reports whether a request comes from somebody who is signed in.
func (p *Provider) Site(knows func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.ServeJSON(w, r, &p.mu, func(header http.Header, _ []byte) (int, any) { return p.shown(header, r, knows(r)) })
	})
}

func (p *Provider) shown(header http.Header, r *http.Request, known bool) (int, any) {
	path, isJSON := strings.CutSuffix(r.URL.Path, ".json")
	user, list, _ := strings.Cut(strings.TrimPrefix(path, "/user/"), "/")
	_, listed := lists[list]
	switch {
	case !p.admit(header):
		return refuse(http.StatusTooManyRequests, "Too Many Requests")
	case r.Method != http.MethodGet || !isJSON:
		return refuse(http.StatusNotFound, "Not Found")
	case path == "/api/me" && !known:
		return http.StatusOK, map[string]any{}
	case path == "/api/me":
		return http.StatusOK, map[string]any{"kind": "t2", "data": map[string]any{
			"id": "id" + p.o.User, "name": p.o.User, "created_utc": 1.1e9, "link_karma": 3, "modhash": "", "has_mail": false,
		}}
	case !listed || !strings.HasPrefix(path, "/user/"):
		return refuse(http.StatusNotFound, "Not Found")
	case !known || user != p.o.User:
		return refuse(http.StatusForbidden, "Forbidden")
	}
	return p.listing(list, r.URL.Query())
}
