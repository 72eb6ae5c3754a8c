package main

import (
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
)

// userPlace is the cursor of the user.
type userPlace struct{ id, login, tag string }

// Members implements cursor.Value.
func (p *userPlace) Members(m *cursor.Members) {
	m.Text("id", &p.id)
	m.Text("login", &p.login)
	m.Text("etag", &p.tag)
}

// statsPlace is the cursor of user_stats.
type statsPlace struct{ day string }

// Members implements cursor.Value.
func (p *statsPlace) Members(m *cursor.Members) { m.Text("observed_on", &p.day) }

// user asks whose token it is, which every run needs, and emits user and
// user_stats. An unchanged user costs no quota (304), except for the first run
// of a day: user_stats wants that day's numbers. A token of another account than the cursors'
// one is refused, in a full refresh too: its issues and pull requests would stay.
func (r *run) user(*api.Client) (err error) {
	var at userPlace
	var stats statsPlace
	r.place(streamUser, &at)
	r.place(streamUserStats, &stats)
	day := r.Now().UTC().Format(time.DateOnly)
	wantsDay := r.Wants(streamUserStats) && stats.day != day && !r.RecoveryOnly()
	if at.id == "" || at.login == "" || wantsDay {
		at.tag = ""
	}
	resp, err := r.Fetch(r.request("/user", mediaJSON, at.tag))
	if err == nil {
		err = r.Check(resp)
	}
	if err != nil {
		return err
	}
	if resp.Status == 304 && at.tag != "" {
		r.login = at.login
		r.Account, err = r.OnlyAccount(at.id)
		return err
	}
	v, err := resp.JSON()
	if err != nil {
		return r.Malformed(err.Error())
	}
	at = userPlace{api.NumberID(v.Get("id")), v.Get("login").Str(), goodTag(resp)}
	if at.id == "" || !isLogin(at.login) {
		return r.Malformed("GitHub gave a user without id or login")
	}
	r.login = at.login
	if r.Account, err = r.OnlyAccount(at.id); err != nil || r.RecoveryOnly() {
		return err
	}
	rec := r.Record(streamUser)
	userRecord(rec, v)
	if err := rec.Emit(); err != nil {
		return err
	}
	if err := r.save(streamUser, "user", &at); err != nil || !wantsDay {
		return err
	}
	rec = r.Record(streamUserStats)
	statsRecord(rec, v, day)
	if err := rec.Emit(); err != nil {
		return err
	}
	return r.save(streamUserStats, day, &statsPlace{day})
}

// isLogin accepts the author of a search. Brackets belong to a bot's name.
func isLogin(login string) bool { return api.Plain(strings.TrimSuffix(login, "[bot]"), 100) }
