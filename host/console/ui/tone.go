package ui

import "github.com/pdpp-host/pdpp-host/health/verdict"

// ToneClass is the class of a tone's colours.
func ToneClass(t verdict.Tone) string {
	switch t {
	case verdict.Green:
		return "good"
	case verdict.Amber:
		return "warn"
	case verdict.Red:
		return "bad"
	}
	return "idle"
}
