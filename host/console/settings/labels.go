package settings

import (
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

var scopes = map[access.Scope]string{access.ScopeRead: words.ScopeRead, access.ScopeRun: words.ScopeRun, access.ScopeManage: words.ScopeManage, access.ScopeIntrospect: words.ScopeIntrospect}

var looks = []struct {
	theme ui.Theme
	label string
}{{ui.ThemeAuto, words.LookAuto}, {ui.ThemeLight, words.LookLight}, {ui.ThemeDark, words.LookDark}}
