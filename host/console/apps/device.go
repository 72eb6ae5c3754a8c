package apps

import (
	"net/http"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// device asks for the code that a device shows. One that came in the link is not filled in:
// somebody may have sent the link of a device of theirs (RD-46.2).
func device(v *site.Visit) error {
	return v.Show(http.StatusOK, words.DeviceTitle, ui.Apps, devicePage("", nil, v.Proof()))
}

func enterCode(v *site.Visit) error {
	code := v.R.PostFormValue("user_code")
	id, err := grants.EnterCode(v.Context(), v.Owner, code)
	switch refused := abi.CodeOf(err); {
	case err == nil:
		return v.To(requestPath(id))
	case refused == grants.CodeUserCode, refused == grants.CodeUserCodes:
		return v.Show(web.Status(refused), words.DeviceTitle, ui.Apps, devicePage(code, err, v.Proof()))
	}
	return err
}

// tokenLives are how long a device's token can last, in days.
var tokenLives = []struct {
	days  int
	label string
}{{30, words.AppMonth}, {1, words.AppDay}, {90, words.AppQuarter}, {365, words.AppYear}}

// tokenScopes are what a device's token can do.
var tokenScopes = []struct {
	scope access.Scope
	label string
}{{access.ScopeRead, words.TokenReads}, {access.ScopeRun, words.TokenRuns}, {access.ScopeManage, words.TokenManages}}

func approveToken(v *site.Visit) error {
	id := v.R.PathValue("request")
	days, err := strconv.Atoi(v.R.PostFormValue("days"))
	if err != nil || days < 1 {
		days = 0
	}
	err = grants.ApproveOwnerToken(v.Context(), v.Owner, grants.OwnerToken{
		RequestID: id, Scope: access.Scope(v.R.PostFormValue("scope")), Expires: time.Duration(days) * 24 * time.Hour,
	})
	if err != nil {
		return again(v, id, err)
	}
	return v.Done(path, words.DeviceApprovedNow)
}
