package connections

import (
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/credentials"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
)

func showCredentials(v *site.Visit) error {
	c, err := v.Owner.Credentials(v.Context(), name(v))
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.CredentialsTitle, ui.Overview, credentialsPage(c, v.Now(), v.Proof()))
}

// setCredential stores one credential. Its value is neither shown nor kept here.
func setCredential(v *site.Visit) error {
	_, err := credentials.Set(v.Context(), v.Owner, name(v), v.R.PostFormValue("field"), func(string, string) ([]byte, error) {
		value := []byte(v.R.PostFormValue("value"))
		if len(value) == 0 {
			return nil, abi.NewError(abi.CodeUsage, words.NoValue, words.NoValueHint)
		}
		return value, nil
	})
	if err != nil {
		return err
	}
	return v.Done(ui.ConnectionPath(name(v), "credentials"), words.CredentialStored)
}

func removeCredential(v *site.Visit) error {
	if _, err := credentials.Remove(v.Context(), v.Owner, name(v), v.R.PostFormValue("field")); err != nil {
		return err
	}
	return v.Done(ui.ConnectionPath(name(v), "credentials"), words.CredentialRemoved)
}

// signOut forgets what a connection's sites have left in its browser.
func signOut(v *site.Visit) error {
	if _, err := running.SignOut(v.Context(), v.Owner, name(v)); err != nil {
		return err
	}
	return v.Done(ui.ConnectionPath(name(v), "credentials"), words.SignedOutHere)
}
