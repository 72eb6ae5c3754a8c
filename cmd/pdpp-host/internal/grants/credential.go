package grants

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/secret"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// credentialFile is what programs of the protocol keep of a host that they read.
type credentialFile struct {
	Provider   string           `json:"provider_url"`
	Server     string           `json:"authorization_server"`
	Scope      string           `json:"scope"`
	Client     credentialClient `json:"client"`
	Credential credential       `json:"credential"`
	CreatedAt  time.Time        `json:"created_at"`
}

type credentialClient struct {
	ID     string `json:"client_id"`
	Name   string `json:"client_name"`
	Method string `json:"token_endpoint_auth_method"`
}

type credential struct {
	Token     string    `json:"access_token"`
	Type      string    `json:"token_type"`
	GrantID   string    `json:"grant_id"`
	ExpiresAt time.Time `json:"expires_at"`
}

func credentialCommand(s *session.Session) *cobra.Command {
	var root, at string
	cmd := &cobra.Command{
		Use: "credential-file GRANT", Short: "Write a token of a grant where programs of the protocol look for it", Args: syntax.Takes("GRANT"), ValidArgsFunction: completeGrant(s),
		Long: "Makes one more token of a grant, and writes it into clients/HOST_PORT.json of a folder, where programs of the protocol\n" +
			"look for it: their command line takes the folder as --cache-root. Only you can read the file, and nothing else has the token.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				provider, err := providerAt(cmd.Context(), at, o)
				if err != nil {
					return err
				}
				made, err := grants.NewCredential(cmd.Context(), o, args[0])
				if err != nil {
					return err
				}
				path := filepath.Join(root, "clients", fileOf(provider))
				text, err := json.MarshalIndent(&credentialFile{
					provider.String(), provider.String(), "pdpp:read", credentialClient{made.ClientID, made.Client, "none"},
					credential{made.Token, "Bearer", made.GrantID, made.ExpiresAt}, made.CreatedAt,
				}, "", "  ")
				if err != nil {
					return err
				}
				if err := secret.WriteFile(path, text); err != nil {
					return err
				}
				return s.Printer.Result("wrote "+path, map[string]any{"grant_id": made.GrantID, "file": path, "expires_at": made.ExpiresAt}, nil)
			})
		},
	}
	cmd.Flags().StringVar(&root, "root", ".pdpp", "write below the folder `DIR`")
	cmd.Flags().StringVar(&at, "url", "", "the programs reach this host at `URL` (default "+config.KeyOrigin+", or where it listens)")
	return cmd
}

// providerAt is where programs reach this host: the server's own word, where one serves.
func providerAt(ctx context.Context, typed string, o *owner.Owner) (*url.URL, error) {
	text := typed
	if text == "" {
		var err error
		if text, err = o.ReachedAt(ctx); err != nil {
			return nil, err
		}
	}
	if text == "" {
		c := o.Config
		text, _ = web.ExpectedOrigin(c.Origin(), c.Listen(), c.TLSCert() != "")
	}
	at, err := url.Parse(text)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.Path != "" || at.RawQuery != "" || at.User != nil || at.Fragment != "" {
		return nil, syntax.Usage("--url is missing, or no address of this host", "write it as https://pdpp.example.org, without a slash at its end")
	}
	return at, nil
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9.-]`)

// fileOf is the name under which programs of the protocol keep what they have of a host.
func fileOf(at *url.URL) string { return unfit.ReplaceAllString(at.Host, "_") + ".json" }
