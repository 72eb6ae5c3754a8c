package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Each function below sets the fields of one object's record, as the manifest's schema lists
// them. Those of rows say first whether the row can be a record.

// idText sets a field to a number as text: ids are texts in records.
func idText(r *sdk.Record, name string, v jsonvalue.Value) {
	if n, ok := v.IntOK(); ok {
		r.String(name, strconv.FormatInt(n, 10))
		return
	}
	r.Copy(name, v)
}

func userRecord(r *sdk.Record, v jsonvalue.Value) {
	r.String("id", api.NumberID(v.Get("id")))
	r.CopyMembers(v, "login", "name", "email", "bio", "company", "location", "blog", "twitter_username", "created_at", "updated_at")
	r.Expect("avatar_url", v.Get("avatar_url"))
}

func statsRecord(r *sdk.Record, v jsonvalue.Value, day string) {
	user := api.NumberID(v.Get("id"))
	r.String("id", user+":"+day)
	r.String("user_id", user)
	r.String("observed_on", day)
	r.ExpectMembers(v, "public_repos", "public_gists", "followers", "following")
}

func repositoryRecord(r *sdk.Record, v jsonvalue.Value) (key string, pushed time.Time, _ uint64) {
	if key = api.NumberID(v.Get("id")); key == "" || v.Get("full_name").View() == "" {
		return "", pushed, 0
	}
	r.String("id", key)
	r.Expect("name", v.Get("name"))
	r.Copy("full_name", v.Get("full_name"))
	r.Expect("owner_login", v.Get("owner").Get("login"))
	r.Copy("description", v.Get("description"))
	r.ExpectMembers(v, "private", "fork", "archived", "disabled")
	r.CopyMembers(v, "visibility", "default_branch", "language", "topics")
	r.ExpectMembers(v, "stargazers_count", "forks_count", "open_issues_count", "watchers_count")
	r.Expect("size_kb", v.Get("size"))
	r.Copy("license_key", v.Get("license").Get("key"))
	r.Expect("html_url", v.Get("html_url"))
	r.CopyMembers(v, "homepage", "created_at", "updated_at", "pushed_at") // null for a repository without a commit
	pushed, _ = instant(v.Get("pushed_at"))
	return key, pushed, 0
}

// starRecord leaves the star count of somebody else's repository out of the fingerprint: it
// moves all the time and is no change of the star.
func starRecord(r *sdk.Record, v jsonvalue.Value) (key string, starred time.Time, sum uint64) {
	repo := v.Get("repo")
	if key = api.NumberID(repo.Get("id")); key == "" || repo.Get("full_name").View() == "" {
		return "", starred, 0
	}
	r.String("id", key)
	r.CopyMembers(repo, "full_name", "description", "language")
	r.Expect("html_url", repo.Get("html_url"))
	r.Copy("starred_at", v.Get("starred_at"))
	sum = r.Sum()
	r.Expect("stargazers_count", repo.Get("stargazers_count"))
	starred, _ = instant(v.Get("starred_at"))
	return key, starred, sum
}

const (
	// maxGistFiles is how many files of a gist a record lists; the API itself stops at 300.
	maxGistFiles = 300
	// maxGistID is above the length of a gist's id.
	maxGistID = 64
)

func gistRecord(r *sdk.Record, v jsonvalue.Value) (key string, _ time.Time, _ uint64) {
	if key = v.Get("id").Str(); !api.Plain(key, maxGistID) {
		return "", time.Time{}, 0
	}
	r.String("id", key)
	r.Copy("description", v.Get("description"))
	r.Expect("public", v.Get("public"))
	r.Expect("html_url", v.Get("html_url"))
	files, total := v.Get("files"), int64(0)
	if files.Kind() == jsonvalue.Object {
		r.CopyObjects("files", files, func(o *sdk.Object, f jsonvalue.Value) bool {
			if total++; total > maxGistFiles {
				return false
			}
			for _, name := range []string{"filename", "language", "size", "raw_url"} {
				o.Copy(name, f.Get(name))
			}
			return true
		})
	} else {
		r.Expect("files", jsonvalue.Value{})
	}
	r.Bool("files_truncated", v.Get("truncated").Bool() || total > maxGistFiles)
	r.Int("files_total_count", total)
	r.Expect("comments_count", v.Get("comments"))
	r.CopyMembers(v, "created_at", "updated_at")
	return key, time.Time{}, 0
}

// issueRecord sets the fields of a row of /issues, which lists pull requests too. key is ""
// for a row that cannot be a record.
func issueRecord(r *sdk.Record, v jsonvalue.Value) (key string, changed time.Time) {
	changed, ok := instant(v.Get("updated_at"))
	if key = api.NumberID(v.Get("id")); key == "" || !ok {
		return "", changed
	}
	r.String("id", key)
	threadFields(r, v)
	r.CopyMembers(v, "state", "state_reason")
	repo, pull := v.Get("repository"), v.Get("pull_request")
	repositoryFields(r, repo, repositoryOf(v.Get("repository_url").View()))
	r.Expect("reactions_total_count", v.Get("reactions").Get("total_count"))
	r.Bool("is_pull_request", pull.Kind() == jsonvalue.Object)
	r.Copy("pull_request_url", pull.Get("url"))
	r.Copy("draft", v.Get("draft"))
	return key, changed
}

// repositoryFields sets the fields of a thread's repository; name is what its address says.
func repositoryFields(r *sdk.Record, repo jsonvalue.Value, name string) {
	if full := repo.Get("full_name"); full.Kind() == jsonvalue.String {
		name = full.Str()
	}
	r.String("repository_full_name", name)
	idText(r, "repository_id", repo.Get("id"))
}

// threadFields sets the fields that issues and pull requests share.
func threadFields(r *sdk.Record, v jsonvalue.Value) {
	r.Expect("number", v.Get("number"))
	r.CopyMembers(v, "title", "body")
	r.Copy("user_login", v.Get("user").Get("login")) // null for a deleted account
	idText(r, "user_id", v.Get("user").Get("id"))
	r.CopyEach("assignees", v.Get("assignees"), "login")
	if labels := v.Get("labels"); labels.At(0).Kind() == jsonvalue.String {
		r.Copy("labels", labels)
	} else {
		r.CopyEach("labels", labels, "name")
	}
	r.Copy("milestone_title", v.Get("milestone").Get("title"))
	r.ExpectMembers(v, "html_url", "comments")
	r.CopyMembers(v, "created_at", "updated_at", "closed_at")
}

// pullRecord sets the fields of a pull request's detail. Its key and the number of
// reactions come from the list: the detail has another id and no reactions.
func pullRecord(r *sdk.Record, v jsonvalue.Value, p *pull) bool {
	if v.Kind() != jsonvalue.Object || v.Get("number").Int() != p.number {
		return false
	}
	r.String("id", p.id)
	threadFields(r, v)
	if v.Get("merged_at").Kind() == jsonvalue.String {
		r.String("state", "merged")
	} else {
		r.Copy("state", v.Get("state"))
	}
	r.StringOrNull("state_reason", p.stateReason)
	base := v.Get("base")
	repositoryFields(r, base.Get("repo"), p.repo)
	r.Int("reactions_total_count", p.reactions)
	r.Expect("draft", v.Get("draft"))
	r.Copy("merged_at", v.Get("merged_at"))
	r.Copy("merged_by_login", v.Get("merged_by").Get("login"))
	r.Expect("commits_count", v.Get("commits"))
	r.ExpectMembers(v, "additions", "deletions", "changed_files")
	r.Expect("base_ref", base.Get("ref"))
	r.Expect("head_ref", v.Get("head").Get("ref"))
	r.CopyEach("requested_reviewers", v.Get("requested_reviewers"), "login")
	r.Expect("review_comments_count", v.Get("review_comments"))
	return true
}

// repositoryOf returns OWNER/NAME of a repository's API address, "" for any other
// address.
func repositoryOf(url string) string {
	if _, name, _ := strings.Cut(url, "/repos/"); isRepository(name) {
		return name
	}
	return ""
}

// isRepository accepts OWNER/NAME, and nothing that could lead to another path.
func isRepository(text string) bool {
	owner, name, _ := strings.Cut(text, "/")
	for _, part := range []string{owner, name} {
		if part == "." || part == ".." || !api.Plain(strings.ReplaceAll(part, ".", "_"), 100) {
			return false
		}
	}
	return true
}
