package main

import (
	"cmp"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
)

// subject is the connection that a command is about.
type subject struct {
	connection, connector string
	module                string // the path that named its module on this command line; "": it has a name
	feeds                 []feed // the devices that feed it; none: this host runs it
}

// run is the command that collects it: here, or on the one device that does. It is
// "" when there is none to name.
func (s *subject) run() string {
	switch trusted := active(s.feeds); {
	case len(trusted) == 1:
		return collectThere(trusted[0].ID)
	case len(s.feeds) > 0:
		return ""
	}
	command := program + " run " + quoted(cmp.Or(s.module, s.connector))
	if s.connection != s.connector {
		command += " --connection " + quoted(s.connection)
	}
	return command
}

// steps are the commands that do what a verdict asks of the owner, for what this
// host runs.
var steps = map[verdict.Kind]func(*subject) string{
	verdict.ReattachSchedule: func(s *subject) string {
		return program + " connections schedule " + quoted(s.connection) + " --resume"
	},
	verdict.RefreshNow: (*subject).run, verdict.RetryGap: (*subject).run, verdict.Backfill: (*subject).run,
	verdict.Reauth: func(s *subject) string {
		return program + " connections credential set " + quoted(s.connection) + ", then " + s.run()
	},
}

// step is the command for the first thing that a verdict asks of the owner, ""
// when no command does it, or a panel of its own tells it.
func step(b *view.Brief, s subject) string {
	if len(b.RequiredActions) == 0 || b.RequiredActions[0].Audience != verdict.AudienceOwner || b.RequiredActions[0].Recovery {
		return ""
	}
	first := &b.RequiredActions[0]
	if len(s.feeds) > 0 {
		switch first.Kind {
		case verdict.RefreshNow, verdict.RetryGap, verdict.Backfill:
			return s.run()
		}
		return ""
	}
	if first.CTACode == "cta_put_right" {
		return program + " doctor" // it says of module, folders and credentials what is wrong
	}
	if command, ok := steps[first.Kind]; ok {
		return command(&s)
	}
	return ""
}
