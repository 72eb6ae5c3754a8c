package notifications

import (
	"net/http"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/notifications"
)

// shown is everything that the page shows.
type shown struct {
	*notifications.Overview

	email     notifications.Email // as it was typed
	emailName string
	typed     *notifications.Settings // nil: those that hold
	refused   error
	proof     string
	now       time.Time
}

// show answers with the page, and with what was refused. An error that no form or channel
// had a part in has its own page.
func (p *shown) show(v *site.Visit, refused error) error {
	status := http.StatusOK
	if refused != nil {
		code := abi.CodeOf(refused)
		if code == notifications.CodeUnknown || !site.OfForm(refused) && !strings.HasPrefix(string(code), "notifications.") {
			return refused
		}
		status = site.StatusOf(refused)
	}
	all, err := notifications.List(v.Context(), v.Owner)
	if err != nil {
		return err
	}
	p.Overview, p.refused, p.proof, p.now = all, refused, v.Proof(), v.Now()
	if p.typed == nil {
		p.typed = &all.Settings
	}
	return v.Show(status, words.NotificationsTitle, ui.Notifications, page(p))
}
