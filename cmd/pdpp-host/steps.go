package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/storage"
)

// subject is the connection that a command is about.
type subject struct {
	connection, connector string
	module                string // the path that named its module on this command line; "": it has a name
	feeds                 []feed // the devices that feed it; none: this host runs it
	unaccepted            bool   // its owner has accepted no module yet
}

// subjectOf is a connection as its evidence knows it, and the devices that feed it.
func subjectOf(e *storage.Evidence, feeds []feed) subject {
	return subject{connection: e.Name, connector: e.Connector, feeds: feeds, unaccepted: !e.Accepted()}
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

// accept is the command that accepts its module.
func (s *subject) accept() string {
	command := program + " plugins accept " + quoted(cmp.Or(s.module, s.connector))
	if s.connection != s.connector {
		command += " --connection " + quoted(s.connection)
	}
	return command
}

// look is what shows on the one device that collects the connection why it cannot,
// and what tries again. It is "" when there is none to name.
func (s *subject) look() string {
	trusted := active(s.feeds)
	if len(trusted) != 1 {
		return ""
	}
	return "pdpp-local-collector doctor --source-instance-id " + quoted(trusted[0].ID) + ", then " + s.run()
}

// inspect is what shows what a run left to its owner, and then collects it.
func (s *subject) inspect() string {
	command := program + " status " + quoted(s.connection) + " --detail"
	if then := s.run(); then != "" {
		command += ", then " + then
	}
	return command
}

// invite is the command that has a device take the place of the last one; "" for a
// connection that none ever fed.
func (s *subject) invite() string {
	if len(s.feeds) == 0 {
		return ""
	}
	last := &s.feeds[len(s.feeds)-1]
	return program + " devices invite " + quoted(s.connector) + " --name " + quoted(last.Binding)
}

// crash is what shows how its connector crashed in a run, and then collects it.
func (s *subject) crash(runID string) string {
	return program + " runs show " + quoted(runID) + ", then " + s.run()
}

// waitsForOwner reports whether something is to be put right that no run asks about.
func waitsForOwner(a *view.Action) bool {
	return a.CTACode == "cta_put_right" || strings.HasPrefix(string(a.CTACode), "cta_put_right_")
}

// leftByRun reports whether a run's own words say what is to be put right.
func leftByRun(a *view.Action) bool { return a.CTACode == "cta_put_right_gap" }

// again is the command that runs what nothing runs by itself, once the wait for it is
// over; "" where something does.
func again(b *view.Brief, s subject) string {
	if len(b.RequiredActions) == 0 || b.RequiredActions[0].CTACode != "cta_run_again" {
		return ""
	}
	return s.run()
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
	if first.CTACode == "cta_enroll_device" {
		return s.invite()
	}
	if leftByRun(first) {
		return s.inspect()
	}
	if first.CTACode == "cta_read_crash" && len(s.feeds) == 0 {
		return s.crash(b.Cause.RunID)
	}
	if len(s.feeds) > 0 {
		switch {
		case slices.Contains([]verdict.Kind{verdict.RefreshNow, verdict.RetryGap, verdict.Backfill}, first.Kind):
			return s.run()
		case first.Kind == verdict.Reauth, waitsForOwner(first):
			return s.look()
		}
		return ""
	}
	switch first.CTACode {
	case "cta_put_right_address", "cta_put_right_option", "cta_put_right_binding":
		return s.run() // which says what is wrong, or that nothing is any more
	}
	if first.CTACode == "cta_put_right_acceptance" || first.CTACode == "cta_put_right_module" && s.unaccepted {
		return s.accept()
	}
	if waitsForOwner(first) {
		return program + " doctor" // it says of module, folders and credentials what is wrong
	}
	if command, ok := steps[first.Kind]; ok {
		return command(&s)
	}
	return ""
}
