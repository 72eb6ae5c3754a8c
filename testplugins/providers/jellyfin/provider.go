package jellyfin

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/logbook"
)

// Options set up a Provider. The zero Options is a server with one user, ana.
type Options struct {
	Key      string   // the API key; default "secret-api_key"
	Users    []string // their names; default "ana"
	Base     string   // the path below which the server is, as "/jellyfin"; default none
	Modern   bool     // a server of 12.0: the header X-Emby-Token is refused (EnableLegacyAuthorization=false)
	Unpaged  bool     // Limit is ignored, as a proxy may
	TotalOff bool     // TotalRecordCount is 0, as with EnableTotalRecordCount=false
}

// Library is a view of the user's.
type Library struct {
	ID, Name string
	Kind     string // its CollectionType, such as "movies"; "": it has none
}

// Item is a film, an episode, a song or a playlist.
type Item struct {
	ID, Name  string
	Library   string         // the id of its library; "" for a playlist
	Type      string         // default "Movie"
	Plays     int            // how often the user has played it
	Favourite bool           // of the user
	Overrides map[string]any // members of the rendered item
}

// Provider is the server. It is safe for concurrent use.
type Provider struct {
	logbook.Book

	o Options

	mu        sync.Mutex
	libraries []*Library
	items     []*Item
}

// New returns a server without libraries.
func New(o Options) *Provider {
	if o.Key == "" {
		o.Key = "secret-api_key"
	}
	if len(o.Users) == 0 {
		o.Users = []string{"ana"}
	}
	return &Provider{o: o}
}

// UserID is the id of a user: 32 digits, as the server writes a GUID.
func UserID(name string) string { return fmt.Sprintf("%032x", "user "+name)[:32] }

// AddLibrary adds libraries.
func (p *Provider) AddLibrary(list ...*Library) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.libraries = append(p.libraries, list...)
}

// Add adds items, the newest last.
func (p *Provider) Add(list ...*Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items = append(p.items, list...)
}

// Delete deletes an item.
func (p *Provider) Delete(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items = slices.DeleteFunc(p.items, func(i *Item) bool { return i.ID == id })
}

// Change runs f while no request is answered, to change what was added.
func (p *Provider) Change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// ServeHTTP answers one request.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.ServeJSON(w, r, &p.mu, func(http.Header, []byte) (int, any) { return p.answer(r) })
}

// query has the parameters of a request by their names in lower case.
type query map[string]string

func parameters(q url.Values) query {
	all := make(query, len(q))
	for name := range q {
		all[strings.ToLower(name)] = q.Get(name)
	}
	return all
}

func (p *Provider) answer(r *http.Request) (int, any) {
	if !p.admits(r.Header) {
		return http.StatusUnauthorized, nil
	}
	q := parameters(r.URL.Query())
	path, below := strings.CutPrefix(r.URL.Path, p.o.Base)
	switch {
	case !below:
		return problem(http.StatusNotFound)
	case r.Method != http.MethodGet:
		return problem(http.StatusMethodNotAllowed)
	case path == "/Users":
		var users []any
		for _, name := range p.o.Users {
			users = append(users, map[string]any{"Id": UserID(name), "Name": name, "ServerId": "f00d", "HasPassword": true, "Policy": map[string]any{"IsAdministrator": false}})
		}
		return http.StatusOK, users
	case path != "/UserViews" && path != "/Items":
		return problem(http.StatusNotFound)
	case !slices.ContainsFunc(p.o.Users, func(name string) bool { return UserID(name) == q["userid"] }):
		return problem(http.StatusNotFound)
	case path == "/UserViews":
		rows := []any{}
		for _, l := range p.libraries {
			row := map[string]any{"Id": l.ID, "Name": l.Name, "Type": "CollectionFolder", "IsFolder": true}
			if l.Kind != "" {
				row["CollectionType"] = l.Kind
			}
			rows = append(rows, row)
		}
		return http.StatusOK, result(rows, 0, len(rows))
	}
	return p.list(q)
}

// admits reports whether a request carries the key.
func (p *Provider) admits(h http.Header) bool {
	if !p.o.Modern && h.Get("X-Emby-Token") == p.o.Key {
		return true
	}
	scheme, parameters, _ := strings.Cut(h.Get("Authorization"), " ")
	if scheme != "MediaBrowser" {
		return false
	}
	for pair := range strings.SplitSeq(parameters, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if plain, err := url.PathUnescape(strings.Trim(value, `"`)); err == nil && name == "Token" && plain == p.o.Key {
			return true
		}
	}
	return false
}

// problem is the server's error object (RFC 9110 and RFC 9457).
func problem(status int) (int, any) {
	return status, map[string]any{"type": fmt.Sprintf("https://tools.ietf.org/html/rfc9110#section-%d", status), "title": http.StatusText(status), "status": status}
}

func result(rows []any, start, total int) map[string]any {
	return map[string]any{"Items": rows, "StartIndex": start, "TotalRecordCount": total}
}

func (p *Provider) list(q query) (int, any) {
	number := map[string]int{"startindex": 0, "limit": 0}
	for name := range number {
		if text := q[name]; text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 {
				return problem(http.StatusBadRequest)
			}
			number[name] = n
		}
	}
	rows := []any{}
	for _, i := range p.items {
		if i.Library == q["parentid"] && (q["includeitemtypes"] == "" || q["includeitemtypes"] == i.kind()) {
			rows = append(rows, i.render(q["fields"]))
		}
	}
	total, from := len(rows), min(number["startindex"], len(rows))
	rows = rows[from:]
	if most := number["limit"]; most > 0 && !p.o.Unpaged {
		rows = rows[:min(most, len(rows))]
	}
	if p.o.TotalOff {
		total = 0
	}
	return http.StatusOK, result(rows, number["startindex"], total)
}

func (i *Item) kind() string {
	if i.Type == "" {
		return "Movie"
	}
	return i.Type
}

func (i *Item) render(fields string) map[string]any {
	played := map[string]any{"PlaybackPositionTicks": 0, "PlayCount": i.Plays, "IsFavorite": i.Favourite, "Played": i.Plays > 0, "Key": i.ID, "ItemId": i.ID}
	if i.Plays > 0 {
		played["LastPlayedDate"] = "2026-01-02T03:04:05.1234567Z"
	}
	m := map[string]any{
		"Id": i.ID, "Name": i.Name, "ServerId": "f00d", "Type": i.kind(), "IsFolder": i.kind() == "Playlist", "MediaType": "Video", "ProductionYear": 1998,
		"PremiereDate": "1998-05-04T00:00:00.0000000Z", "RunTimeTicks": 54000000000, "UserData": played, "ImageTags": map[string]any{"Primary": "tag" + i.ID},
	}
	for name, value := range map[string]any{"Genres": []any{"Drama"}, "ProviderIds": map[string]any{"Imdb": "tt" + i.ID}, "ChildCount": 3} {
		if slices.Contains(strings.Split(fields, ","), name) {
			m[name] = value
		}
	}
	maps.Copy(m, i.Overrides)
	return m
}
