package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Each function below makes one record of one object of the API, field by field
// as the manifest's schema lists them. It returns the record's key, "" when the
// object cannot be a record.

func userRecord(s *builder, v jsonvalue.Value) (key string) {
	if key = number(v.Get("id")); key == "" || v.Get("login").View() == "" {
		return ""
	}
	s.reset()
	s.str("id", key)
	s.text("login", v.Get("login"))
	for _, name := range []string{"name", "email", "bio", "company", "location", "blog", "twitter_username"} {
		s.text(name, v.Get(name))
	}
	s.moment("created_at", v.Get("created_at"))
	s.moment("updated_at", v.Get("updated_at"))
	s.required("avatar_url", v.Get("avatar_url"))
	return key
}

func statsRecord(s *builder, v jsonvalue.Value, day string) (key string) {
	user := number(v.Get("id"))
	if user == "" {
		return ""
	}
	key = user + ":" + day
	s.reset()
	s.str("id", key)
	s.str("user_id", user)
	s.str("observed_on", day)
	for _, name := range []string{"public_repos", "public_gists", "followers", "following"} {
		s.count(name, v.Get(name))
	}
	return key
}

func repositoryRecord(s *builder, v jsonvalue.Value) (key string) {
	if key = number(v.Get("id")); key == "" || v.Get("full_name").View() == "" {
		return ""
	}
	s.reset()
	s.str("id", key)
	s.required("name", v.Get("name"))
	s.text("full_name", v.Get("full_name"))
	s.required("owner_login", v.Get("owner").Get("login"))
	s.text("description", v.Get("description"))
	for _, name := range []string{"private", "fork", "archived", "disabled"} {
		s.flag(name, v.Get(name))
	}
	s.text("visibility", v.Get("visibility"))
	s.text("default_branch", v.Get("default_branch"))
	s.text("language", v.Get("language"))
	s.words("topics", v.Get("topics"), "")
	for _, name := range []string{"stargazers_count", "forks_count", "open_issues_count", "watchers_count"} {
		s.count(name, v.Get(name))
	}
	s.count("size_kb", v.Get("size"))
	s.text("license_key", v.Get("license").Get("key"))
	s.required("html_url", v.Get("html_url"))
	s.text("homepage", v.Get("homepage"))
	s.moment("created_at", v.Get("created_at"))
	s.moment("updated_at", v.Get("updated_at"))
	s.moment("pushed_at", v.Get("pushed_at")) // null for a repository without a commit
	return key
}

// starRecord also returns how many bytes of the data make its fingerprint: the
// star count of somebody else's repository moves all the time and is no change
// of the star.
func starRecord(s *builder, v jsonvalue.Value) (key string, stable int) {
	repo := v.Get("repo")
	if key = number(repo.Get("id")); key == "" || repo.Get("full_name").View() == "" {
		return "", 0
	}
	s.reset()
	s.str("id", key)
	s.text("full_name", repo.Get("full_name"))
	s.text("description", repo.Get("description"))
	s.text("language", repo.Get("language"))
	s.required("html_url", repo.Get("html_url"))
	s.moment("starred_at", v.Get("starred_at"))
	stable = len(s.b)
	s.count("stargazers_count", repo.Get("stargazers_count"))
	return key, stable
}

// maxGistFiles is how many files of a gist a record lists; the API itself stops
// at 300.
const maxGistFiles = 300

func gistRecord(s *builder, v jsonvalue.Value) (key string) {
	if key = v.Get("id").Str(); !plainID(key) {
		return ""
	}
	s.reset()
	s.str("id", key)
	s.text("description", v.Get("description"))
	s.flag("public", v.Get("public"))
	s.required("html_url", v.Get("html_url"))
	files := v.Get("files")
	total := int64(0)
	if files.Kind() == jsonvalue.Object {
		s.b = append(jsonappend.Name(s.b, "files"), '[')
		for it := files.Children(); it.Next(); {
			if total++; total > maxGistFiles {
				continue
			}
			f := it.Value()
			s.b = append(jsonappend.Elem(s.b), '{')
			name := f.Get("filename")
			if name.Kind() != jsonvalue.String {
				name = it.Name()
			}
			s.text("filename", name)
			s.text("language", f.Get("language"))
			s.count("size", f.Get("size"))
			s.text("raw_url", f.Get("raw_url"))
			s.b = append(s.b, '}')
		}
		s.b = append(s.b, ']')
	} else {
		s.mismatch("files")
	}
	truncated := v.Get("truncated").Bool() || total > maxGistFiles
	s.b = jsonappend.Bool(jsonappend.Name(s.b, "files_truncated"), truncated)
	s.b = jsonappend.Int(jsonappend.Name(s.b, "files_total_count"), total)
	s.count("comments_count", v.Get("comments"))
	s.moment("created_at", v.Get("created_at"))
	s.moment("updated_at", v.Get("updated_at"))
	return key
}

// plainID accepts a gist's id. It becomes a part of the cursor, so its length is
// bounded.
func plainID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// issueRecord makes the record of a row of /issues, which lists pull requests
// too.
func issueRecord(s *builder, v jsonvalue.Value) (key string) {
	key = number(v.Get("id"))
	if _, ok := instant(v.Get("updated_at")); key == "" || !ok {
		return ""
	}
	pull := v.Get("pull_request")
	s.reset()
	s.str("id", key)
	s.threadFields(v)
	s.text("state", v.Get("state"))
	s.text("state_reason", v.Get("state_reason"))
	repo := v.Get("repository")
	if name := repo.Get("full_name"); name.Kind() == jsonvalue.String {
		s.text("repository_full_name", name)
	} else {
		s.str("repository_full_name", repositoryOf(v.Get("repository_url").View()))
	}
	s.idText("repository_id", repo.Get("id"))
	s.count("reactions_total_count", v.Get("reactions").Get("total_count"))
	s.b = jsonappend.Bool(jsonappend.Name(s.b, "is_pull_request"), pull.Kind() == jsonvalue.Object)
	s.text("pull_request_url", pull.Get("url"))
	if v.Get("draft").IsNull() {
		s.null("draft")
	} else {
		s.flag("draft", v.Get("draft"))
	}
	return key
}

// threadFields appends the fields that issues and pull requests share.
func (s *builder) threadFields(v jsonvalue.Value) {
	s.count("number", v.Get("number"))
	s.text("title", v.Get("title"))
	s.text("body", v.Get("body"))
	s.text("user_login", v.Get("user").Get("login")) // null for a deleted account
	s.idText("user_id", v.Get("user").Get("id"))
	s.words("assignees", v.Get("assignees"), "login")
	s.words("labels", v.Get("labels"), "name")
	s.text("milestone_title", v.Get("milestone").Get("title"))
	s.required("html_url", v.Get("html_url"))
	s.count("comments", v.Get("comments"))
	s.moment("created_at", v.Get("created_at"))
	s.moment("updated_at", v.Get("updated_at"))
	s.moment("closed_at", v.Get("closed_at"))
}

// pullRecord makes the record of a pull request's detail. Its key and the number of
// reactions come from the list: the detail has another id and no reactions.
func pullRecord(s *builder, v jsonvalue.Value, p *pull) bool {
	if v.Kind() != jsonvalue.Object || v.Get("number").Int() != p.number {
		return false
	}
	s.reset()
	s.str("id", p.id)
	s.threadFields(v)
	if v.Get("merged_at").Kind() == jsonvalue.String {
		s.str("state", "merged")
	} else {
		s.text("state", v.Get("state"))
	}
	if p.stateReason == "" {
		s.null("state_reason")
	} else {
		s.str("state_reason", p.stateReason)
	}
	repo := v.Get("base").Get("repo")
	if name := repo.Get("full_name"); name.Kind() == jsonvalue.String {
		s.text("repository_full_name", name)
	} else {
		s.str("repository_full_name", p.repo)
	}
	s.idText("repository_id", repo.Get("id"))
	s.b = jsonappend.Int(jsonappend.Name(s.b, "reactions_total_count"), p.reactions)
	s.flag("draft", v.Get("draft"))
	s.moment("merged_at", v.Get("merged_at"))
	s.text("merged_by_login", v.Get("merged_by").Get("login"))
	s.count("commits_count", v.Get("commits"))
	for _, name := range []string{"additions", "deletions", "changed_files"} {
		s.count(name, v.Get(name))
	}
	s.required("base_ref", v.Get("base").Get("ref"))
	s.required("head_ref", v.Get("head").Get("ref"))
	s.words("requested_reviewers", v.Get("requested_reviewers"), "login")
	s.count("review_comments_count", v.Get("review_comments"))
	return true
}

// repositoryOf returns OWNER/NAME of a repository's API address, "" for any other
// address.
func repositoryOf(url string) string {
	const mark = "/repos/"
	for i := 0; i+len(mark) <= len(url); i++ {
		if url[i:i+len(mark)] == mark && isRepository(url[i+len(mark):]) {
			return url[i+len(mark):]
		}
	}
	return ""
}

// isRepository accepts OWNER/NAME, and nothing that could lead to another path.
func isRepository(text string) bool {
	slash := -1
	for i := range len(text) {
		switch c := text[i]; {
		case c == '/' && slash < 0 && i > 0:
			slash = i
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	if slash < 0 || slash+1 == len(text) || len(text) > 200 {
		return false
	}
	owner, name := text[:slash], text[slash+1:]
	return owner != "." && owner != ".." && name != "." && name != ".."
}
