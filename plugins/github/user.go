package main

import (
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// account is whose token it is.
type account struct{ id, login string }

// user asks whose token it is, which every run needs, and emits user and
// user_stats. An unchanged user costs no quota (304), except for the first run
// of a day: user_stats wants that day's numbers.
func (r *run) user() error {
	cur, stats := r.h.Cursor(streamUser), r.h.Cursor(streamUserStats)
	day := r.h.Now().UTC().Format(time.DateOnly)
	known := account{cur.Get("account").Str(), cur.Get("login").Str()}
	wantsDay := r.h.Wants(streamUserStats) && stats.Get("observed_on").View() != day && !r.h.RecoveryOnly()
	etag := ""
	if known.id != "" && known.login != "" && cur.Get("format").Int() == format && !wantsDay {
		etag = cur.Get("etag").Str()
	}
	resp, v, err := r.c.get(r.c.base+"/user", mediaJSON, etag)
	if err != nil {
		return err
	}
	if resp.Status == statusNotModified {
		r.me = known
		return r.sameAccount()
	}
	s := &builder{stream: streamUser}
	r.me = account{userRecord(s, v), v.Get("login").Str()}
	if r.me.id == "" || !isLogin(r.me.login) {
		return malformed("a user without id or login")
	}
	if err := r.sameAccount(); err != nil {
		return err
	}
	if r.h.RecoveryOnly() {
		return nil
	}
	if err := r.emitUser(s, cur, resp.Header("ETag")); err != nil {
		return err
	}
	if wantsDay {
		if err := r.emitStats(v, day); err != nil {
			return err
		}
	}
	return s.report(r.h)
}

func (r *run) emitUser(s *builder, cur jsonvalue.Value, etag string) error {
	data := s.data()
	sum := printOf(data)
	if uint64(cur.Get("sum").Int()) != sum {
		if err := r.h.EmitRaw(streamUser, r.me.id, data); err != nil {
			return err
		}
	}
	b := r.beginCursor()
	b = jsonappend.String(jsonappend.Name(b, "login"), r.me.login)
	b = jsonappend.Uint(jsonappend.Name(b, "sum"), sum)
	if goodTag(etag) {
		b = jsonappend.String(jsonappend.Name(b, "etag"), etag)
	}
	return r.h.Slice(streamUser, "user", append(b, '}'))
}

func (r *run) emitStats(v jsonvalue.Value, day string) error {
	s := &builder{stream: streamUserStats}
	key := statsRecord(s, v, day)
	if err := r.h.EmitRaw(streamUserStats, key, s.data()); err != nil {
		return err
	}
	if err := s.report(r.h); err != nil {
		return err
	}
	b := jsonappend.String(jsonappend.Name(r.beginCursor(), "observed_on"), day)
	return r.h.Slice(streamUserStats, day, append(b, '}'))
}

// beginCursor starts a cursor. Each one names the account.
func (r *run) beginCursor() []byte {
	b := jsonappend.String(jsonappend.Name([]byte{'{'}, "account"), r.me.id)
	return jsonappend.Int(jsonappend.Name(b, "format"), format)
}

// sameAccount refuses a token of another account than the cursors' one: every record of
// the first account would look deleted, in a full refresh too.
func (r *run) sameAccount() error {
	for _, stream := range r.h.Streams() {
		id := r.h.Cursor(stream).Get("account").View()
		if id == "" {
			id = r.h.Previous(stream).Get("account").View()
		}
		if id != "" && id != r.me.id {
			return &sdk.Failure{
				Code: codeAccount, Hint: "manual_action_required",
				Message: "the token belongs to a different GitHub account from the one collected so far; add a separate connection for it",
			}
		}
	}
	return nil
}

// goodTag bounds the part of a provider's header that is kept and sent back.
func goodTag(etag string) bool {
	if etag == "" || len(etag) > 200 {
		return false
	}
	for i := range len(etag) {
		if etag[i] < ' ' || etag[i] > '~' {
			return false
		}
	}
	return true
}

// isLogin accepts the author of a search. Brackets belong to a bot's name.
func isLogin(login string) bool {
	for i := range len(login) {
		switch c := login[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '[', c == ']':
		default:
			return false
		}
	}
	return login != "" && len(login) <= 100
}
