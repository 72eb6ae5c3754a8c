package github

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// route answers from the data.
func (p *Provider) route(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	limit, resource := &p.core, "core"
	if strings.HasPrefix(r.URL.Path, "/search/") {
		limit, resource = &p.search, "search"
	}
	within := limit.take(p.o.Now()) || !p.o.Enforce
	limit.writeHeaders(w.Header(), resource)
	if !within {
		problem(w, http.StatusForbidden, "API rate limit exceeded for user ID 1.")
		return
	}
	if status, message := p.authorized(r); status != 0 {
		problem(w, status, message)
		return
	}
	var body any
	switch path := r.URL.Path; {
	case r.Method != http.MethodGet:
		problem(w, http.StatusNotFound, "Not Found")
		return
	case path == "/user":
		body = p.data.User.json()
	case path == "/user/repos":
		body = page(p, w, r, p.repos(r))
	case path == "/user/starred":
		body = page(p, w, r, p.stars(r))
	case path == "/issues":
		body = page(p, w, r, p.issues(r))
	case path == "/gists":
		body = page(p, w, r, p.gists(r))
	case path == "/search/issues":
		p.searchIssues(w, r)
		return
	case strings.HasPrefix(path, "/repos/"):
		body = p.pull(r)
	}
	if body == nil {
		problem(w, http.StatusNotFound, "Not Found")
		return
	}
	answer(w, r, body, limit)
}

func problem(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	out, err := json.Marshal(map[string]string{"message": message, "documentation_url": "https://docs.github.com/rest"})
	if err == nil {
		_, _ = w.Write(out)
	}
}

// answer writes body, or 304 when the client has it.
func answer(w http.ResponseWriter, r *http.Request, body any, limit *window) {
	out, err := json.Marshal(body)
	if err != nil {
		problem(w, http.StatusInternalServerError, err.Error())
		return
	}
	sum := sha256.Sum256(append(out, w.Header().Get("Link")...))
	etag := `W/"` + hex.EncodeToString(sum[:]) + `"`
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		limit.refund()
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(out)
}

func (p *Provider) origin(r *http.Request) string {
	switch {
	case p.o.Origin != "":
		return p.o.Origin
	case r.URL.Host != "":
		return r.URL.Scheme + "://" + r.URL.Host
	default:
		return "http://" + r.Host
	}
}

// page cuts one page out of rows and sets Link.
func page(p *Provider, w http.ResponseWriter, r *http.Request, rows []any) []any {
	q := r.URL.Query()
	size, _ := strconv.Atoi(q.Get("per_page"))
	if size < 1 {
		size = 30
	}
	size = min(size, 100, p.o.PerPage)
	n, _ := strconv.Atoi(q.Get("page"))
	n = max(n, 1)
	last := max(1, (len(rows)+size-1)/size)
	link := func(number int, rel string) string {
		q.Set("page", strconv.Itoa(number))
		return "<" + p.origin(r) + r.URL.Path + "?" + q.Encode() + `>; rel="` + rel + `"`
	}
	var links []string
	if n > 1 {
		links = append(links, link(n-1, "prev"), link(1, "first"))
	}
	if n < last {
		next := n + 1
		if p.loop == r.URL.Path {
			next = n
		}
		links = append(links, link(next, "next"), link(last, "last"))
	}
	if len(links) > 0 {
		w.Header().Set("Link", strings.Join(links, ", "))
	}
	from := min((n-1)*size, len(rows))
	return append([]any{}, rows[from:min(from+size, len(rows))]...)
}

// order sorts rows by a time, and by id where times are equal.
func order[T any](rows []T, at func(*T) time.Time, id func(*T) int64, descending bool) []T {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b T) int {
		c := at(&a).Compare(at(&b))
		if c == 0 {
			c = int(min(max(id(&a)-id(&b), -1), 1))
		}
		if descending {
			c = -c
		}
		return c
	})
	return rows
}

func since(r *http.Request) time.Time {
	t, _ := time.Parse(time.RFC3339, r.URL.Query().Get("since"))
	return t
}

func descending(r *http.Request) bool { return r.URL.Query().Get("direction") != "asc" }

func (p *Provider) repos(r *http.Request) []any {
	at := func(repo *Repo) time.Time { return repo.CreatedAt }
	switch r.URL.Query().Get("sort") {
	case "pushed":
		at = func(repo *Repo) time.Time { return repo.PushedAt }
	case "updated":
		at = func(repo *Repo) time.Time { return repo.UpdatedAt }
	}
	rows := []any{}
	for _, repo := range order(p.data.Repos, at, func(repo *Repo) int64 { return repo.ID }, descending(r)) {
		rows = append(rows, repo.json(p.origin(r)))
	}
	return rows
}

func (p *Provider) stars(r *http.Request) []any {
	at := func(s *Star) time.Time { return s.StarredAt }
	rows := []any{}
	for _, s := range order(p.data.Stars, at, func(s *Star) int64 { return s.ID }, descending(r)) {
		if strings.Contains(r.Header.Get("Accept"), "application/vnd.github.star+json") {
			rows = append(rows, s.json(p.origin(r)))
		} else {
			rows = append(rows, s.Repo.json(p.origin(r)))
		}
	}
	return rows
}

func (p *Provider) issues(r *http.Request) []any {
	at := func(i *Issue) time.Time { return i.CreatedAt }
	if r.URL.Query().Get("sort") == "updated" {
		at = func(i *Issue) time.Time { return i.UpdatedAt }
	}
	rows, from := []any{}, since(r)
	for _, i := range order(p.data.Issues, at, func(i *Issue) int64 { return i.ID }, descending(r)) {
		open := r.URL.Query().Get("state") == "all" || i.State == "open"
		mine := r.URL.Query().Get("filter") == "all" || slices.Contains(i.Assignees, p.data.User.Login)
		if open && mine && !i.UpdatedAt.Before(from) {
			rows = append(rows, i.json(p.origin(r), true))
		}
	}
	return rows
}

func (p *Provider) gists(r *http.Request) []any {
	gists, from := slices.Clone(p.data.Gists), since(r)
	slices.SortFunc(gists, func(a, b Gist) int { return -a.CreatedAt.Compare(b.CreatedAt)*2 + strings.Compare(a.ID, b.ID) })
	rows := []any{}
	for _, g := range gists {
		if !g.UpdatedAt.Before(from) {
			rows = append(rows, g.json())
		}
	}
	return rows
}

// pull answers /repos/OWNER/NAME/pulls/NUMBER; nil is 404.
func (p *Provider) pull(r *http.Request) any {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/repos/"), "/")
	if len(parts) != 4 || parts[2] != "pulls" {
		return nil
	}
	for i := range p.data.Pulls {
		pull := &p.data.Pulls[i]
		if pull.Repo.FullName == parts[0]+"/"+parts[1] && strconv.FormatInt(pull.Number, 10) == parts[3] && !pull.Gone {
			return pull.json(p.origin(r))
		}
	}
	return nil
}
