package settings

import (
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/made"
	"github.com/pdpp-host/pdpp-host/host/web"
)

const pathMade = path + "/made"

// spans are how far back the page of what was made looks.
var spans = []struct {
	hours int
	label string
}{{24, words.MadeDay}, {7 * 24, words.MadeWeek}, {30 * 24, words.MadeMonth}, {365 * 24, words.MadeYear}}

// madeView is what the page shows of what was made.
type madeView struct {
	Proof string
	Since time.Time
	Hours int // the span that was chosen; 0: none
	Made  []made.Thing
	Now   time.Time
	Ended []made.Ended // that go on
	Err   error
}

func showMade(v *site.Visit) error {
	x := madeView{Hours: spans[1].hours}
	for _, s := range spans {
		if v.R.URL.Query().Get("hours") == itoa(s.hours) {
			x.Hours = s.hours
		}
	}
	x.Since = v.Now().Add(-time.Duration(x.Hours) * time.Hour)
	return x.show(v, http.StatusOK)
}

func (x *madeView) show(v *site.Visit, status int) (err error) {
	if x.Made, err = made.Since(v.Context(), v.Owner, x.Since); err != nil {
		return err
	}
	x.Proof, x.Now = v.Proof(), v.Now()
	return v.Show(status, words.MadeTitle, ui.Settings, madePlace(x))
}

// endMade ends what is ticked, or all of it but this browser's session.
func endMade(v *site.Visit) error {
	since, err := time.Parse(time.RFC3339, v.R.PostFormValue("since"))
	if err != nil {
		return abi.NewError(abi.CodeUsage, words.Broken, words.BrokenHint)
	}
	x := madeView{Since: since}
	ids := v.R.PostForm["thing"]
	var ended []made.Ended
	switch {
	case v.R.PostFormValue("all") == "yes":
		ended, err = made.EndAll(v.Context(), v.Owner, since)
	case len(ids) == 0:
		err = abi.NewError(abi.CodeUsage, words.MadeNothingTicked, words.MadeTick)
	default:
		ended, err = made.End(v.Context(), v.Owner, since, ids)
	}
	switch code := abi.CodeOf(err); {
	case code == abi.CodeUsage, code == made.CodeUnknown:
		x.Err = err
		return x.show(v, web.Status(code))
	case err != nil:
		return err
	}
	for i := range ended {
		if e := &ended[i]; e.Code != "" {
			x.Ended = append(x.Ended, *e)
		}
		if ended[i].ID == v.Caller.Actor.ID {
			v.Guard.Forget(v.W, v.R)
			return v.Done(site.PathSignIn, words.SignedOutNow)
		}
	}
	if len(x.Ended) > 0 {
		return x.show(v, http.StatusConflict)
	}
	return v.Done(pathMade, words.MadeEnded)
}

// whoMade says by what a thing was made.
func whoMade(x *made.Thing) string {
	switch x.By {
	case owner.CommandLine:
		return words.CommandLine
	case owner.BrowserSession:
		return words.ABrowser
	case owner.APIToken:
		return words.AToken
	case owner.App:
		return words.AnApp
	}
	return words.MadeUnknown
}
