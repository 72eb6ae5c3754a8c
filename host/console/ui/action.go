package ui

import (
	"net/url"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/console/words"
)

// ConnectionPath is the address of a connection's page, or of one below it.
func ConnectionPath(name string, below ...string) string {
	return strings.Join(append([]string{"/connections", url.PathEscape(name)}, below...), "/")
}

// RunPath is the address of a run's page, or of one below it.
func RunPath(id string, below ...string) string {
	return strings.Join(append([]string{"/runs", url.PathEscape(id)}, below...), "/")
}

// Step is the button of what a verdict asks for: it leads to a page, or does it at once.
type Step struct {
	Label, Path string
	Post        bool // it does it at once
}

// runs are the kinds of action that a run does.
var runs = []verdict.Kind{verdict.RefreshNow, verdict.RetryGap, verdict.Backfill}

// Answers reports whether an action is to answer what a run asks.
func Answers(a *view.Action) bool { return a.CTACode == "cta_add_info" }

// StepOf is the button of an action of a connection. onDevice: a device runs it, and no
// button here does its part (HL-08).
func StepOf(connection string, a *view.Action, onDevice bool) Step {
	code := string(a.CTACode)
	switch {
	case a.Audience != verdict.AudienceOwner:
		return Step{Label: words.DoOpen, Path: ConnectionPath(connection)}
	case onDevice, a.Recovery:
		return Step{Label: words.DoDevice, Path: ConnectionPath(connection) + "#device"}
	case a.Kind == verdict.Reauth:
		return Step{Label: words.DoSignIn, Path: ConnectionPath(connection, "credentials")}
	case slices.Contains(runs, a.Kind):
		label := words.DoFetch
		if a.Kind == verdict.RefreshNow || strings.HasPrefix(code, "cta_check") {
			label = words.DoRun
		}
		return Step{label, ConnectionPath(connection, "run"), true}
	case a.Kind == verdict.ReattachSchedule:
		return Step{words.DoResume, ConnectionPath(connection, "resume"), true}
	case code == "cta_put_right_acceptance", code == "cta_put_right_module":
		return Step{Label: words.DoModule, Path: ConnectionPath(connection, "module")}
	case code == "cta_put_right_folder":
		return Step{Label: words.DoFolder, Path: ConnectionPath(connection, "settings")}
	case code == "cta_put_right_sign_in":
		return Step{words.DoRun, ConnectionPath(connection, "run"), true}
	case code == "cta_put_right_option", code == "cta_put_right_address":
		return Step{Label: words.DoSettings, Path: ConnectionPath(connection, "settings")}
	case code == "cta_not_understood", code == "cta_not_whole":
		return Step{Label: words.DoFiles, Path: ConnectionPath(connection, "files")}
	case Answers(a):
		return Step{Label: words.DoAnswer, Path: "/questions"}
	}
	return Step{Label: words.DoOpen, Path: ConnectionPath(connection)}
}
