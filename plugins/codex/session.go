package main

import (
	"cmp"
	"strings"
	"time"
)

// aggregate is the sum of the rollouts of one session; usually there is one.
type aggregate struct {
	known           bool
	messages, calls int64
	first, last     time.Time
	path            string
	forkedFrom      string
}

// sessionOf adds up the rollouts of a session. latest is the path of the rollout that
// was written last.
func (r *run) sessionOf(id string) aggregate {
	var a aggregate
	for _, p := range r.bySession[id] {
		s := r.after.files[p]
		if s == nil || s.session != id {
			continue
		}
		a.messages += s.messages
		a.calls += s.calls
		a.forkedFrom = cmp.Or(a.forkedFrom, s.forkedFrom)
		if a.first.IsZero() || !s.first.IsZero() && s.first.Before(a.first) {
			a.first = s.first
		}
		if !a.known || s.last.After(a.last) {
			a.last, a.path = s.last, p
		}
		a.known = true
	}
	return a
}

// session emits the record of a session. While a table of threads that may have its row cannot be
// read, it emits nothing and returns false: a record without its title would
// replace a better one.
func (r *run) session(id string, m *meta) (bool, error) {
	if !r.h.Wants(streamSessions) {
		return true, nil
	}
	var row threadRow
	switch _, listed := r.threads.rows[id]; {
	case listed:
		var ok bool
		if row, ok = r.threads.row(id); !ok {
			return false, nil // it changed since it was listed: next run
		}
		r.after.threads[id] = row.print()
	case r.threads.problem == threadsUnreadable, r.threads.problem == threadsDamaged:
		return false, nil // its row may be one that is lost
	}
	a := r.sessionOf(id)
	rec := r.h.Record(streamSessions)
	rec.String("id", id)
	rec.StringOrNull("cwd", cmp.Or(m.cwd, row.text[colCwd]))
	rec.StringOrNull("originator", m.originator)
	rec.StringOrNull("cli_version", cmp.Or(m.version, row.text[colVersion]))
	rec.StringOrNull("model_provider", cmp.Or(m.provider, row.text[colProvider]))
	rec.StringOrNull("git_commit", cmp.Or(m.gitCommit, row.text[colCommit]))
	rec.StringOrNull("git_branch", cmp.Or(m.gitBranch, row.text[colBranch]))
	rec.StringOrNull("repository_url", cmp.Or(m.repository, row.text[colRepository]))
	rec.StringOrNull("started_at", instant(cmp.Or(m.started, a.first, row.created)))
	rec.StringOrNull("last_event_at", instant(cmp.Or(a.last, row.updated, m.started)))
	rec.IntOrNull("message_count", a.messages, a.known)
	rec.IntOrNull("function_call_count", a.calls, a.known)
	rec.StringOrNull("title", row.text[colTitle])
	if row.hasArchived {
		rec.Bool("archived", row.archived != 0)
	} else {
		rec.Null("archived")
	}
	rec.IntOrNull("tokens_used", row.tokens, row.hasTokens)
	rec.StringOrNull("first_user_message", row.text[colFirstMessage])
	rec.StringOrNull("sandbox_policy", row.text[colSandbox])
	rec.StringOrNull("approval_mode", row.text[colApproval])
	rec.StringOrNull("forked_from_id", a.forkedFrom)
	rec.StringOrNull("rollout_relative_path", cmp.Or(a.path, belowHome(row.text[colRollout])))
	return true, rec.Emit()
}

// instant writes a time as Codex does, with its milliseconds; "" for none.
func instant(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case t.Nanosecond()%int(time.Millisecond) != 0:
		return t.Format(time.RFC3339Nano)
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}

// belowHome cuts the machine's own part off a rollout's absolute path.
func belowHome(p string) string {
	p = strings.ReplaceAll(p, "\\", "/")
	for _, folder := range [...]string{"archived_sessions/", "sessions/"} {
		if i := strings.LastIndex(p, "/"+folder); i >= 0 {
			return p[i+1:]
		}
		if strings.HasPrefix(p, folder) {
			return p
		}
	}
	return ""
}
