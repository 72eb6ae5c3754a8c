package apps

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/web"
)

const (
	path       = "/apps"
	pathDevice = "/device"
)

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET "+path, s.Signed(list))
	mux.Handle("GET /consent", s.Signed(find))
	mux.Handle("GET /consent/begin", s.Anybody(begin))
	mux.Handle("GET "+pathDevice, s.Signed(device))
	mux.Handle("POST "+pathDevice, s.Signed(enterCode))
	mux.Handle("GET "+path+"/requests/{request}", s.Signed(show))
	mux.Handle("POST "+path+"/requests/{request}/approve-token", s.Signed(approveToken))
	mux.Handle("POST "+path+"/requests/{request}/review", s.Signed(review))
	mux.Handle("POST "+path+"/requests/{request}/approve", s.Signed(approve))
	mux.Handle("POST "+path+"/requests/{request}/deny", s.Signed(refuse))
	mux.Handle("POST "+path+"/requests/deny", s.Signed(refuseAll))
	mux.Handle("GET "+path+"/of/{grant}", s.Signed(showGrant))
	mux.Handle("POST "+path+"/clients/{client}/remove", s.Signed(forget))
	mux.Handle("POST "+path+"/of/{grant}/limit", s.Signed(limit))
	mux.Handle("POST "+path+"/of/{grant}/revoke", s.Signed(revoke))
}

func requestPath(id string) string { return path + "/requests/" + url.PathEscape(id) }
func clientPath(id string) string  { return path + "/clients/" + url.PathEscape(id) }
func grantPath(id string) string   { return path + "/of/" + url.PathEscape(id) }

func list(v *site.Visit) error {
	asking, err := grants.Requests(v.Context(), v.Owner)
	if err != nil {
		return err
	}
	given, err := grants.List(v.Context(), v.Owner)
	if err != nil {
		return err
	}
	known, err := grants.Clients(v.Context(), v.Owner)
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.AppsTitle, ui.Apps, listPage(asking, given, known, v.Now(), v.Proof()))
}

func forget(v *site.Visit) error {
	if err := grants.RemoveClient(v.Context(), v.Owner, v.R.PathValue("client")); err != nil {
		return err
	}
	return v.Done(path, words.AppForgottenNow)
}

// find leads from the address that an app shows to the page of its request.
func find(v *site.Visit) error {
	id, err := grants.Find(v.Context(), v.Owner, v.R.URL.Query().Get("request_uri"))
	if err != nil {
		return err
	}
	return v.To(requestPath(id))
}

// begin is where an app has sent the browser. A browser that comes from elsewhere brings no
// session along: its owner goes on by a link of this host's.
func begin(v *site.Visit) error {
	q := v.R.URL.Query()
	if code := q.Get("refused"); code != "" {
		return v.Show(http.StatusBadRequest, words.AppWrong, ui.Apps, wrongPage(words.AppRefusal(code)))
	}
	consent := "/consent?request_uri=" + url.QueryEscape(q.Get("request_uri"))
	if v.Caller != nil {
		return v.To(consent)
	}
	return v.Show(http.StatusOK, words.AppBegins, ui.Apps, beginPage(consent))
}

// goBack sends the browser back to the app with its answer.
func goBack(v *site.Visit, to, title string) error {
	v.Uncompressed, v.Away = true, to // it has a code in it
	return v.Show(http.StatusOK, title, ui.Apps, backPage(title, to))
}

func show(v *site.Visit) error {
	r, err := grants.Look(v.Context(), v.Owner, v.R.PathValue("request"))
	if err != nil {
		return err
	}
	return choose(v, http.StatusOK, r, &chosen{form: url.Values{}, fresh: true})
}

// choose shows what an app asks for with the form of the choices, as they were made.
func choose(v *site.Visit, status int, r *grants.Looked, c *chosen) error {
	return v.Show(status, heading(r), ui.Apps, requestPage(r, c, v.Now(), v.Proof()))
}

// chosen is the form as it was sent.
type chosen struct {
	form  url.Values
	fresh bool // it was not sent so far
	err   error
}

// has reports whether a box is ticked; whole says what it is before anything was.
func (c *chosen) has(name, value string, whole bool) bool {
	if c.fresh {
		return whole
	}
	return slices.Contains(c.form[name], value)
}

// The names in the form. A stream's fields are named by its number, since a connector's own
// names stand in no form.
const (
	formStream     = "stream"
	formConnection = "connection"
	formFields     = "fields-"
)

// choices reads the form. A time that cannot be read is refused.
func (c *chosen) choices(r *grants.Looked) (grant.Choices, error) {
	out := grant.Choices{Connections: c.form[formConnection], Expires: c.form.Get("expires"), AITraining: c.form.Get("training") == "yes"}
	for i := range r.Offers {
		o := &r.Offers[i]
		for k := range o.Streams {
			name := key(i, k)
			if !slices.Contains(c.form[formStream], name) {
				continue
			}
			out.Streams = append(out.Streams, grant.Choice{Name: o.Streams[k].Name, Fields: append([]string{}, c.form[formFields+name]...)})
			if r.Asks == nil {
				out.Connector = o.Connector
			}
		}
	}
	for name, to := range map[string]**time.Time{"since": &out.Since, "until": &out.Until} {
		text := strings.TrimSpace(c.form.Get(name))
		if text == "" {
			continue
		}
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return out, abi.NewError(grants.CodeChoice, words.NoSuchDay, words.NoSuchDayHint)
		}
		*to = &at
	}
	return out, nil
}

// review shows what the app would get by the choices of the form: the page that approves.
func review(v *site.Visit) error {
	r, err := grants.Look(v.Context(), v.Owner, v.R.PathValue("request"))
	if err != nil {
		return err
	}
	if err := v.R.ParseForm(); err != nil {
		return abi.NewError(abi.CodeUsage, words.Broken, words.BrokenHint)
	}
	c := &chosen{form: v.R.PostForm}
	choices, err := c.choices(r)
	var reviewed *grants.Reviewed
	if err == nil {
		reviewed, err = grants.Review(v.Context(), v.Owner, r.ID, choices)
	}
	switch code := abi.CodeOf(err); {
	case err == nil:
		return v.Show(http.StatusOK, words.AppWouldGet, ui.Apps, reviewPage(r, reviewed, v.Proof()))
	case code == grants.CodeChoice, code == grants.CodeConflict, code == grants.CodeDetails, code == grants.CodeExpired, code == grants.CodeDecided:
		c.err = err
		return choose(v, web.Status(code), r, c)
	}
	return err
}

func approve(v *site.Visit) error {
	id := v.R.PathValue("request")
	made, err := grants.Approve(v.Context(), v.Owner, grants.Approval{RequestID: id, Revision: v.R.PostFormValue("revision")})
	if err != nil {
		return again(v, id, err)
	}
	if made.Back != "" {
		return goBack(v, made.Back, words.AppApproved)
	}
	return v.Done(grantPath(made.GrantID), words.AppApprovedNow)
}

func refuse(v *site.Visit) error {
	id := v.R.PathValue("request")
	back, err := grants.Refuse(v.Context(), v.Owner, id)
	if err != nil {
		return again(v, id, err)
	}
	if back != "" {
		return goBack(v, back, words.AppRefused)
	}
	return v.Done(path, words.AppRefusedNow)
}

// refuseAll refuses what the list showed: of one app, or of all where the form names none.
func refuseAll(v *site.Visit) error {
	until, err := time.Parse(time.RFC3339Nano, v.R.PostFormValue("until"))
	if err != nil {
		return abi.NewError(abi.CodeUsage, words.Broken, words.BrokenHint)
	}
	n, err := grants.RefuseAll(v.Context(), v.Owner, v.R.PostFormValue("client"), until)
	if err != nil {
		return err
	}
	if n == 0 {
		return v.Done(path, words.AppsNoneRefused)
	}
	return v.Done(path, words.AppsRefusedNow)
}

// again leads a decision that was refused back to the request as it stands now.
func again(v *site.Visit, id string, refused error) error {
	switch code := abi.CodeOf(refused); code {
	case grants.CodeApproval, grants.CodeChoice, grants.CodeExpired, grants.CodeDecided, grants.CodeNobodyWaits, grants.CodeNeeded, abi.CodeUsage:
		r, err := grants.Look(v.Context(), v.Owner, id)
		if err != nil {
			return err
		}
		return choose(v, web.Status(code), r, &chosen{form: url.Values{}, fresh: true, err: refused})
	}
	return refused
}

func showGrant(v *site.Visit) error {
	g, err := grants.Show(v.Context(), v.Owner, v.R.PathValue("grant"))
	if err != nil {
		return err
	}
	reads, err := grants.Reads(v.Context(), v.Owner, g.ID, 0, shownReads)
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, ui.Safe(g.Name()), ui.Apps, grantPage(g, reads, v.Now(), v.Proof()))
}

// shownReads is how many of a grant's newest reads its page has.
const shownReads = 20

func limit(v *site.Visit) error {
	id := v.R.PathValue("grant")
	mib, err := strconv.ParseInt(v.R.PostFormValue("mib"), 10, 32)
	if err != nil {
		mib = 0
	}
	if err := grants.Limit(v.Context(), v.Owner, id, mib<<20); err != nil {
		return err
	}
	return v.Done(grantPath(id), words.AppLimitedNow)
}

func revoke(v *site.Visit) error {
	id := v.R.PathValue("grant")
	if err := grants.Revoke(v.Context(), v.Owner, id); err != nil {
		return err
	}
	return v.Done(grantPath(id), words.AppRevokedNow)
}
