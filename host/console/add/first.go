package add

import (
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/credentials"
)

// first leads from a connection that was just made to its first run.
func first(v *site.Visit) error {
	c, err := v.Owner.Credentials(v.Context(), v.R.PathValue("name"))
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.FirstTitle, ui.Overview, firstPage(c, v.Now(), v.Proof()))
}

// signIn stores a credential on the way.
func signIn(v *site.Visit) error {
	name := v.R.PathValue("name")
	_, err := credentials.Set(v.Context(), v.Owner, name, v.R.PostFormValue("field"), func(string, string) ([]byte, error) {
		if value := v.R.PostFormValue("value"); value != "" {
			return []byte(value), nil
		}
		return nil, abi.NewError(abi.CodeUsage, words.NoValue, words.NoValueHint)
	})
	if err != nil {
		return err
	}
	return v.Done(ui.ConnectionPath(name, "first"), words.CredentialStored)
}
