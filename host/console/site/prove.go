package site

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// PathProve is the page on which the owner of a session proves that it is theirs.
const PathProve = "/prove"

// ProveHeader leads a script, which shows no page, to the page of a proof.
const ProveHeader = "Pdpp-Prove"

// typedSecret is the name by which forms send a secret that is typed. No page shows one again.
const typedSecret = "password"

// RegisterProof adds the page of a proof.
func RegisterProof(s *Site, mux *http.ServeMux) {
	mux.Handle("GET "+PathProve, s.Signed(func(v *Visit) error {
		return v.prove(&proving{To: Local(v.R.URL.Query().Get("next"))})
	}))
	mux.Handle("POST "+PathProve, s.Signed(func(v *Visit) error {
		return v.proved(access.Prove(v.Context(), v.Owner, &v.Guard.Changes, v.Guard.From(v.R), v.R.PostFormValue(provePassword)))
	}))
	mux.Handle("POST "+PathProve+"/passkey/options", s.Signed(func(v *Visit) error {
		d, err := v.Device()
		if err != nil {
			return err
		}
		return v.Ask(access.AskToProve(v.Owner, *d))
	}))
	mux.Handle("POST "+PathProve+"/passkey", s.Signed(func(v *Visit) error {
		d, err := v.Device()
		if err != nil {
			return err
		}
		return v.proved(access.ProveByPasskey(v.Context(), v.Owner, &v.Guard.Changes, v.Guard.From(v.R), *d))
	}))
}

// askProof asks for a proof where a page was refused for the lack of one, and has the browser go on with the form
// that it sent. One with a secret that was typed is filled in again.
func (v *Visit) askProof(err error) error {
	if abi.CodeOf(err) != owner.CodeProofNeeded || v.R.Method != http.MethodPost {
		return err
	}
	if err := v.R.ParseForm(); err != nil {
		return err
	}
	home := "/" + strings.SplitN(strings.TrimPrefix(v.R.URL.Path, "/"), "/", 2)[0] // the page that the form is on
	v.W.Header().Set(ProveHeader, PathProve+"?next="+url.QueryEscape(home))
	x := &proving{To: home}
	if _, typed := v.R.PostForm[typedSecret]; !typed && len(v.R.PostForm) > 0 {
		x.To, x.Sends, x.Fields = v.R.URL.RequestURI(), true, carried(v.R.PostForm)
	}
	return v.prove(x)
}

// carried are the fields of a form without those that each page makes anew.
func carried(form url.Values) (all []entry) {
	for name, values := range form {
		if slices.Contains([]string{web.FormToken, "answer", provePassword, proveTo, proveSends}, name) {
			continue
		}
		for _, value := range values {
			all = append(all, entry{Name: name, Value: value})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.Name+"\x00"+a.Value, b.Name+"\x00"+b.Value) })
	return all
}

// prove shows the page of a proof.
func (v *Visit) prove(x *proving) error {
	ways, err := access.SignInWays(v.Context(), v.Owner)
	if err != nil {
		return err
	}
	x.Password, x.Passkey, x.Here, x.Proof = ways.Password, ways.Passkey, v.Passkeys(PathProve), v.Proof()
	status := http.StatusForbidden
	switch {
	case x.Err != nil:
		status = StatusOf(x.Err)
	case v.R.Method == http.MethodGet:
		status = http.StatusOK
	}
	v.Uncompressed = true
	return v.Show(status, words.ProveTitle, "", provePage(x))
}

// proved sends the browser on with the form that waits for the proof, or shows again why there is none.
func (v *Visit) proved(err error) error {
	to, sends := Local(v.R.PostFormValue(proveTo)), v.R.PostFormValue(proveSends) == "yes"
	switch code := abi.CodeOf(err); {
	case err == nil && sends:
		v.W.Header().Set("Location", to)
		v.W.WriteHeader(http.StatusTemporaryRedirect) // with the same form
		return nil
	case err == nil:
		return v.To(to)
	case code == access.CodePasswordWrong, code == access.CodeTooManyAttempts, code == access.CodePasskeyRefused, code == access.CodePasskeyCopied, code == access.CodePasskeyUnknown:
		return v.prove(&proving{To: to, Sends: sends, Fields: carried(v.R.PostForm), Err: err})
	}
	return err
}
