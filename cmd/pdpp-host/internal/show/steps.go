package show

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// active are the feeds of devices that are trusted.
func active(all []owner.Feed) []owner.Feed {
	return slices.DeleteFunc(slices.Clone(all), func(f owner.Feed) bool { return f.RevokedAt != nil })
}

// Subject is the connection that a command is about.
type Subject struct {
	Connection, Connector string
	Module                string       // the path that named its module on this command line; "": it has a name
	Feeds                 []owner.Feed // the devices that feed it; none: this host runs it
	Unaccepted            bool         // its owner has accepted no module yet
}

// Run is the command that collects it: here, or on the one device that does. It is
// "" when there is none to name.
func (s *Subject) Run() string {
	switch trusted := active(s.Feeds); {
	case len(trusted) == 1:
		return owner.CollectThere(trusted[0].SourceInstanceID)
	case len(s.Feeds) > 0:
		return ""
	}
	command := "pdpp-host run " + words.Quoted(cmp.Or(s.Module, s.Connector))
	if s.Connection != s.Connector {
		command += " --connection " + words.Quoted(s.Connection)
	}
	return command
}

// accept is the command that accepts its module.
func (s *Subject) accept() string {
	return owner.AcceptCommand(cmp.Or(s.Module, s.Connector), s.Connection)
}

// look is what shows on the one device that collects the connection why it cannot,
// and what tries again. It is "" when there is none to name.
func (s *Subject) look() string {
	trusted := active(s.Feeds)
	if len(trusted) != 1 {
		return ""
	}
	return "pdpp-local-collector doctor --source-instance-id " + words.Quoted(trusted[0].SourceInstanceID) + ", then " + s.Run()
}

// inspect is what shows what a run left to its owner, and then collects it.
func (s *Subject) inspect() string {
	command := "pdpp-host status " + words.Quoted(s.Connection) + " --detail"
	if then := s.Run(); then != "" {
		command += ", then " + then
	}
	return command
}

// files is the command that shows the files that were not understood.
func (s *Subject) files() string { return "pdpp-host connections files " + words.Quoted(s.Connection) }

// invite is the command that has a device take the place of the last one; "" for a
// connection that none ever fed.
func (s *Subject) invite() string {
	if len(s.Feeds) == 0 {
		return ""
	}
	last := &s.Feeds[len(s.Feeds)-1]
	return "pdpp-host devices invite " + words.Quoted(s.Connector) + " --name " + words.Quoted(last.Binding)
}

// crash is what shows how its connector crashed in a run, and then collects it.
func (s *Subject) crash(runID string) string {
	return "pdpp-host runs show " + words.Quoted(runID) + ", then " + s.Run()
}

// waitsForOwner reports whether something is to be put right that no run asks about.
func waitsForOwner(a *view.Action) bool {
	return a.CTACode == "cta_put_right" || strings.HasPrefix(string(a.CTACode), "cta_put_right_")
}

// Again is the command that runs what nothing runs by itself, once the wait for it is
// over; "" where something does.
func Again(b *view.Brief, s Subject) string {
	if len(b.RequiredActions) == 0 || b.RequiredActions[0].CTACode != "cta_run_again" {
		return ""
	}
	return s.Run()
}

// steps are the commands that do what a verdict asks of the owner, for what this
// host runs.
var steps = map[verdict.Kind]func(*Subject) string{
	verdict.ReattachSchedule: func(s *Subject) string {
		return "pdpp-host connections schedule " + words.Quoted(s.Connection) + " --resume"
	},
	verdict.RefreshNow: (*Subject).Run, verdict.RetryGap: (*Subject).Run, verdict.Backfill: (*Subject).Run,
	verdict.Reauth: func(s *Subject) string {
		return "pdpp-host connections credential set " + words.Quoted(s.Connection) + ", then " + s.Run()
	},
}

// Step is the command for the first thing that a verdict asks of the owner, ""
// when no command does it, or a panel of its own tells it.
func Step(b *view.Brief, s Subject) string {
	if len(b.RequiredActions) == 0 || b.RequiredActions[0].Audience != verdict.AudienceOwner || b.RequiredActions[0].Recovery {
		return ""
	}
	first := &b.RequiredActions[0]
	if first.CTACode == "cta_enroll_device" {
		return s.invite()
	}
	if first.CTACode == "cta_not_understood" || first.CTACode == "cta_not_whole" {
		return s.files()
	}
	if owner.LeftByRun(first) {
		return s.inspect()
	}
	if first.CTACode == "cta_read_crash" && len(s.Feeds) == 0 {
		return s.crash(b.Cause.RunID)
	}
	if len(s.Feeds) > 0 {
		switch {
		case slices.Contains([]verdict.Kind{verdict.RefreshNow, verdict.RetryGap, verdict.Backfill}, first.Kind):
			return s.Run()
		case first.Kind == verdict.Reauth, waitsForOwner(first):
			return s.look()
		}
		return ""
	}
	switch first.CTACode {
	case "cta_put_right_address", "cta_put_right_option", "cta_put_right_binding", "cta_put_right_sign_in":
		return s.Run() // which says what is wrong, or that nothing is any more
	case "cta_put_right_browser":
		return "pdpp-host doctor, then " + s.Run()
	}
	if first.CTACode == "cta_put_right_acceptance" || first.CTACode == "cta_put_right_module" && s.Unaccepted {
		return s.accept()
	}
	if waitsForOwner(first) {
		return "pdpp-host doctor" // it says of module, folders and credentials what is wrong
	}
	if command, ok := steps[first.Kind]; ok {
		return command(&s)
	}
	return ""
}
