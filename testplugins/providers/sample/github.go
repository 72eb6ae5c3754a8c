package sample

import (
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/github"
)

// Github returns an account: repositories, stars, issues, pull requests, gists.
func Github(o Options) *github.Provider {
	m := newMaker(o)
	d := github.Data{User: github.User{
		ID: 42, Login: "me", Name: "Me", PublicRepos: int64(m.size), Followers: 3, CreatedAt: m.ago(9000), UpdatedAt: m.ago(10),
		AvatarURL: "https://avatars.example/42",
	}}
	for i := range m.size {
		n := int64(i + 1)
		repo := github.Repo{
			ID: n, FullName: fmt.Sprintf("me/repo-%d", n), Description: m.title(), Language: "Go", License: "mit", Topics: []string{"a"}, Stars: int64(m.IntN(50)),
			CreatedAt: m.ago(i + 500), UpdatedAt: m.ago(i), PushedAt: m.ago(i),
		}
		star := repo
		star.ID, star.FullName = n+100_000, fmt.Sprintf("other/repo-%d", n)
		issue := github.Issue{
			ID: n + 200_000, Number: n, Repo: repo, Title: m.title(), Body: m.title(), State: "open", Author: "me", Labels: []string{"bug"},
			Assignees: []string{"me"}, Reactions: int64(m.IntN(5)), CreatedAt: m.ago(i + 300), UpdatedAt: m.ago(i),
		}
		d.Repos = append(d.Repos, repo)
		d.Stars = append(d.Stars, github.Star{Repo: star, StarredAt: m.ago(i)})
		d.Issues = append(d.Issues, issue)
		d.Pulls = append(d.Pulls, Pull(int(n), m.title(), m.ago(i)))
		d.Gists = append(d.Gists, github.Gist{
			ID: fmt.Sprintf("%032x", n), Public: true, Description: m.title(), Files: []github.File{{Name: "a.go", Language: "Go", Size: int64(m.IntN(5000))}},
			CreatedAt: m.ago(i + 100), UpdatedAt: m.ago(i),
		})
	}
	return github.New(github.Options{Token: o.Token, Now: o.Now, PerPage: o.Page, Enforce: o.Limit, Env: o.Env}, d)
}

// Pull returns the n-th pull request, changed at that time.
func Pull(n int, title string, changed time.Time) github.Pull {
	repo := github.Repo{ID: 7, FullName: "me/repo-7", CreatedAt: changed.Add(-9000 * time.Hour), UpdatedAt: changed, PushedAt: changed}
	return github.Pull{
		Issue: github.Issue{
			ID: int64(n) + 300_000, Number: int64(n) + 1000, Repo: repo, Title: title, State: "open", Author: "me", Pull: true, Labels: []string{"bug"},
			Assignees: []string{"me"}, CreatedAt: changed.Add(-100 * time.Hour), UpdatedAt: changed,
		},
		Commits: 2, Additions: 10, Deletions: 3, ChangedFiles: 1, Base: "main", Head: "topic", Reviewers: []string{"you"},
	}
}
