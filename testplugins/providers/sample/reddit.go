package sample

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/reddit"
)

// perTenMinutes is how many requests Options.Limit leaves in ten minutes: a hundred a minute.
const perTenMinutes = 1000

// RedditVariables are the secrets of a Reddit account made with a token.
func RedditVariables(token string) map[string]string {
	return map[string]string{
		"REDDIT_ACCESS_TOKEN": token, "REDDIT_REFRESH_TOKEN": token + "-refresh", "REDDIT_CLIENT_ID": "simulated-client", "REDDIT_CLIENT_SECRET": token + "-client",
	}
}

// Reddit returns an account: posts, comments, and what it saved, voted on and hid.
func Reddit(o Options) *reddit.Provider {
	m := newMaker(o)
	secrets := RedditVariables(o.Token)
	ro := reddit.Options{
		Token: o.Token, RefreshToken: secrets["REDDIT_REFRESH_TOKEN"], ClientID: secrets["REDDIT_CLIENT_ID"], ClientSecret: secrets["REDDIT_CLIENT_SECRET"],
		Now: o.Now, Expire: true,
	}
	if o.Limit {
		ro.Limit = perTenMinutes
	}
	p := reddit.New(ro)
	for _, list := range []string{"submitted", "comments", "saved", "upvoted", "downvoted", "hidden"} {
		for i := range m.size {
			p.Put(list, &reddit.Thing{
				ID: fmt.Sprintf("%s%04d", list, i), Comment: list == "comments", Title: m.title(), Text: m.title() + " " + m.title(), Score: m.IntN(500),
				Replies: m.IntN(40), Created: m.ago(m.size - i),
			})
		}
	}
	return p
}
