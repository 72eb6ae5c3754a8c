package main

import (
	"strings"
	"time"
)

// aggregate is the sum of the rollouts of one session; usually there is one.
type aggregate struct {
	known           bool
	messages, calls int64
	first, last     time.Time
	path            string
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

// session emits the record of a session. While the table of threads cannot be
// read, it emits nothing and returns false: a record without its title would
// replace a better one.
func (r *run) session(id string, m *meta) (bool, error) {
	if !r.h.Wants(streamSessions) {
		return true, nil
	}
	var row threadRow
	switch r.threads.problem {
	case threadsUnreadable:
		return false, nil
	case "":
		var ok bool
		if _, listed := r.threads.rows[id]; listed {
			if row, ok = r.threads.row(id); !ok {
				return false, nil // it changed since it was listed: next run
			}
			r.after.threads[id] = row.print()
		}
	}
	a := r.sessionOf(id)
	rec := r.h.Record(streamSessions)
	rec.String("id", id)
	rec.StringOrNull("cwd", either(m.cwd, row.cwd))
	rec.StringOrNull("originator", m.originator)
	rec.StringOrNull("cli_version", either(m.version, row.version))
	rec.StringOrNull("model_provider", either(m.provider, row.provider))
	rec.StringOrNull("git_commit", either(m.gitCommit, row.commit))
	rec.StringOrNull("git_branch", either(m.gitBranch, row.branch))
	rec.StringOrNull("repository_url", either(m.repository, row.repository))
	rec.Time("started_at", eitherTime(m.started, a.first, row.created))
	rec.Time("last_event_at", eitherTime(a.last, row.updated, m.started))
	rec.IntOrNull("message_count", a.messages, a.known)
	rec.IntOrNull("function_call_count", a.calls, a.known)
	rec.StringOrNull("title", row.title)
	if row.hasArchived {
		rec.Bool("archived", row.archived != 0)
	} else {
		rec.Null("archived")
	}
	rec.IntOrNull("tokens_used", row.tokens, row.hasTokens)
	rec.StringOrNull("first_user_message", row.firstMessage)
	rec.StringOrNull("sandbox_policy", row.sandbox)
	rec.StringOrNull("approval_mode", row.approval)
	rec.StringOrNull("rollout_path", either(a.path, belowHome(row.rollout)))
	return true, rec.Emit()
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func eitherTime(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
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
