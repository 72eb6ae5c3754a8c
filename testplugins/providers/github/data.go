package github

import (
	"strconv"
	"time"
)

// User is the owner of the token.
type User struct {
	ID                                                  int64
	Login, Name, Email, Bio                             string
	PublicRepos, PublicGists, Followers, Following      int64
	CreatedAt, UpdatedAt                                time.Time
	Company, Location, Blog, TwitterUsername, AvatarURL string
}

// Repo is a repository, the owner's own or somebody else's.
type Repo struct {
	ID                             int64
	FullName, Description          string
	Private, Fork, Archived        bool
	Language, License              string
	Topics                         []string
	Stars, Forks, OpenIssues       int64
	CreatedAt, UpdatedAt, PushedAt time.Time
}

// Star is a repository that the user starred.
type Star struct {
	Repo

	StarredAt time.Time
}

// Issue is an issue, or a pull request as the issue lists show it.
type Issue struct {
	ID, Number           int64
	Repo                 Repo
	Title, Body, State   string
	Reason               string
	Author               string
	Labels, Assignees    []string
	Milestone            string
	Comments, Reactions  int64
	Pull                 bool
	Draft                bool
	CreatedAt, UpdatedAt time.Time
	ClosedAt             time.Time
}

// Pull is an Issue with the further fields of a pull request's detail.
type Pull struct {
	Issue

	MergedAt                time.Time
	MergedBy                string
	Commits, Additions      int64
	Deletions, ChangedFiles int64
	ReviewComments          int64
	Base, Head              string
	Reviewers               []string
	Gone                    bool  // searched, but its detail is 404
	DetailID                int64 // default: ID and a thousand million
}

// Gist is a gist; Files is name to size.
type Gist struct {
	ID, Description      string
	Public               bool
	Files                []File
	Truncated            bool
	Comments             int64
	CreatedAt, UpdatedAt time.Time
}

// File is one file of a gist.
type File struct {
	Name, Language string
	Size           int64
}

// Data is the whole content of the simulation. Lists are in no order.
type Data struct {
	User    User
	Repos   []Repo
	Stars   []Star
	Issues  []Issue // the rows of /issues; pull requests included
	Pulls   []Pull
	Gists   []Gist
	Partial bool // organisations hide their repositories (X-GitHub-SSO)
}

type object = map[string]any

func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func person(login string) any {
	if login == "" {
		return nil
	}
	return object{"login": login, "id": int64(len(login)) * 1000, "type": "User", "site_admin": false}
}

func (u *User) json() object {
	return object{
		"login": u.Login, "id": u.ID, "node_id": "U_" + strconv.FormatInt(u.ID, 10), "avatar_url": u.AvatarURL, "type": "User",
		"name": text(u.Name), "email": text(u.Email), "bio": text(u.Bio), "company": text(u.Company), "location": text(u.Location),
		"blog": u.Blog, "twitter_username": text(u.TwitterUsername), "public_repos": u.PublicRepos, "public_gists": u.PublicGists,
		"followers": u.Followers, "following": u.Following, "created_at": stamp(u.CreatedAt), "updated_at": stamp(u.UpdatedAt),
	}
}

func (r *Repo) owner() string { return before(r.FullName) }

func before(fullName string) string {
	for i := range len(fullName) {
		if fullName[i] == '/' {
			return fullName[:i]
		}
	}
	return fullName
}

func (r *Repo) json(origin string) object {
	var license any
	if r.License != "" {
		license = object{"key": r.License, "name": r.License + " License", "spdx_id": r.License}
	}
	topics := r.Topics
	if topics == nil {
		topics = []string{}
	}
	visibility := "public"
	if r.Private {
		visibility = "private"
	}
	return object{
		"id": r.ID, "node_id": "R_" + strconv.FormatInt(r.ID, 10), "name": r.FullName[len(r.owner())+1:], "full_name": r.FullName,
		"owner": person(r.owner()), "private": r.Private, "visibility": visibility, "html_url": "https://github.com/" + r.FullName,
		"description": text(r.Description), "fork": r.Fork, "url": origin + "/repos/" + r.FullName, "homepage": nil,
		"size": 1024, "stargazers_count": r.Stars, "watchers_count": r.Stars, "language": text(r.Language), "forks_count": r.Forks,
		"archived": r.Archived, "disabled": false, "open_issues_count": r.OpenIssues, "license": license, "topics": topics,
		"default_branch": "main", "created_at": stamp(r.CreatedAt), "updated_at": stamp(r.UpdatedAt), "pushed_at": stamp(r.PushedAt),
		"permissions": object{"admin": true, "push": true, "pull": true},
	}
}

func (s *Star) json(origin string) object {
	return object{"starred_at": stamp(s.StarredAt), "repo": s.Repo.json(origin)}
}

// json returns the issue in a list; whole includes the whole repository (/issues does,
// the search does not).
func (i *Issue) json(origin string, whole bool) object {
	labels := make([]any, 0, len(i.Labels))
	for _, l := range i.Labels {
		labels = append(labels, object{"id": len(l), "name": l, "color": "ededed"})
	}
	assignees := make([]any, 0, len(i.Assignees))
	for _, a := range i.Assignees {
		assignees = append(assignees, person(a))
	}
	kind := "issues"
	if i.Pull {
		kind = "pull"
	}
	var milestone any
	if i.Milestone != "" {
		milestone = object{"title": i.Milestone, "number": 1}
	}
	path := i.Repo.FullName + "/" + kind + "/" + strconv.FormatInt(i.Number, 10)
	o := object{
		"id": i.ID, "number": i.Number, "title": i.Title, "body": text(i.Body), "state": i.State, "state_reason": text(i.Reason),
		"user": person(i.Author), "labels": labels, "assignees": assignees, "milestone": milestone, "comments": i.Comments,
		"reactions": object{"total_count": i.Reactions}, "html_url": "https://github.com/" + path,
		"repository_url": origin + "/repos/" + i.Repo.FullName,
		"created_at":     stamp(i.CreatedAt), "updated_at": stamp(i.UpdatedAt), "closed_at": stamp(i.ClosedAt),
	}
	if whole {
		o["repository"] = i.Repo.json(origin)
	}
	if i.Pull {
		o["draft"] = i.Draft
		o["pull_request"] = object{
			"url":      origin + "/repos/" + i.Repo.FullName + "/pulls/" + strconv.FormatInt(i.Number, 10),
			"html_url": "https://github.com/" + path,
		}
	}
	return o
}

// json is the detail. Its id is not the id of the issue that it also is.
func (p *Pull) json(origin string) object {
	o := p.Issue.json(origin, false)
	delete(o, "repository_url")
	delete(o, "pull_request")
	delete(o, "reactions")
	reviewers := make([]any, 0, len(p.Reviewers))
	for _, r := range p.Reviewers {
		reviewers = append(reviewers, person(r))
	}
	o["id"] = p.pullID()
	o["draft"], o["merged"], o["merged_at"], o["merged_by"] = p.Draft, !p.MergedAt.IsZero(), stamp(p.MergedAt), person(p.MergedBy)
	o["commits"], o["additions"], o["deletions"], o["changed_files"] = p.Commits, p.Additions, p.Deletions, p.ChangedFiles
	o["review_comments"], o["requested_reviewers"] = p.ReviewComments, reviewers
	o["base"] = object{"ref": p.Base, "repo": p.Repo.json(origin)}
	o["head"] = object{"ref": p.Head, "repo": nil}
	return o
}

func (p *Pull) pullID() int64 {
	if p.DetailID != 0 {
		return p.DetailID
	}
	return p.ID + 1_000_000_000
}

func (g *Gist) json() object {
	files := object{}
	for _, f := range g.Files {
		files[f.Name] = object{
			"filename": f.Name, "type": "text/plain", "language": text(f.Language), "size": f.Size,
			"raw_url": "https://gist.githubusercontent.com/o/" + g.ID + "/raw/" + f.Name,
		}
	}
	return object{
		"id": g.ID, "html_url": "https://gist.github.com/" + g.ID, "files": files, "public": g.Public, "truncated": g.Truncated,
		"description": text(g.Description), "comments": g.Comments, "created_at": stamp(g.CreatedAt), "updated_at": stamp(g.UpdatedAt),
		"owner": object{"login": "o"},
	}
}
