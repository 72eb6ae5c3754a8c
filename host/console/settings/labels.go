package settings

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

var scopes = map[access.Scope]string{access.ScopeRead: words.ScopeRead, access.ScopeRun: words.ScopeRun, access.ScopeManage: words.ScopeManage}

var looks = []struct {
	theme ui.Theme
	label string
}{{ui.ThemeAuto, words.LookAuto}, {ui.ThemeLight, words.LookLight}, {ui.ThemeDark, words.LookDark}}

// The parts of a browser's name that people know, in the order in which they are looked for:
// most browsers also name those that they are like.
var (
	browsers = []struct{ mark, name string }{{"Firefox/", "Firefox"}, {"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}}
	systems  = []struct{ mark, name string }{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

// agent is a browser's name for itself in words that people know; as it is where none fits.
func agent(text string) string {
	if text == "" {
		return words.BrowserUnnamed
	}
	for _, b := range browsers {
		if !strings.Contains(text, b.mark) {
			continue
		}
		for _, s := range systems {
			if strings.Contains(text, s.mark) {
				return b.name + ", " + s.name
			}
		}
		return b.name
	}
	return text
}
