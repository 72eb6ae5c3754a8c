package connections

import (
	"net/http"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/leftover"
	"github.com/pdpp-host/pdpp-host/host/owner/unread"
)

func showFiles(v *site.Visit) error { return listFiles(v, http.StatusOK, nil) }

// ignoredByYou says how a pattern of the owner's holds.
func ignoredByYou(f *leftover.Files, pattern string) string {
	if f.IsAsItWas(pattern) {
		return words.IgnoredAsItWas
	}
	return words.IgnoredByYou
}

func listFiles(v *site.Visit, status int, refusal error) error {
	f, err := unread.Show(v.Context(), v.Owner, name(v))
	if err != nil {
		return err
	}
	return v.Show(status, words.FilesTitle, ui.Overview, filesPage(f, site.Typed(refusal), v.Proof()))
}

// decideFiles takes the owner's word on files: one that is not for the connection, a pattern
// of such files, or an earlier pattern that holds no longer.
func decideFiles(v *site.Visit) error {
	var c leftover.Change
	if p := strings.TrimSpace(v.R.PostFormValue("ignore")); p != "" {
		c.Ignore = append(c.Ignore, p)
	}
	if p := v.R.PostFormValue("heed"); p != "" {
		c.Heed = append(c.Heed, p)
	}
	f, err := unread.Decide(v.Context(), v.Owner, name(v), c)
	if site.OfForm(err) {
		return listFiles(v, site.StatusOf(err), err)
	}
	if err != nil {
		return err
	}
	return v.Done(ui.ConnectionPath(f.Connection, "files"), words.FilesDecided)
}
