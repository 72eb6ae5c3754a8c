package connections

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credentials"
)

const credentialHelp = "A credential is stored encrypted, for one connection. A stored one wins over the environment variable\n" +
	"that the connector names for it; without a stored one the variable is used. There is no command that\n" +
	"shows or exports a stored credential."

func credentialCommand(s *session.Session) *cobra.Command {
	cmd := s.Group("credential", "Store and list a connection's credentials", nil)
	cmd.Long = "Store and list a connection's credentials.\n\n" + credentialHelp
	cmd.AddCommand(credentialSetCommand(s), credentialListCommand(s), credentialRemoveCommand(s))
	return cmd
}

// takesNoSecret is syntax.Takes, but it does not repeat an argument that is too much:
// that may be the secret.
func takesNoSecret(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > len(names) {
			return credentials.SecretArgument()
		}
		return syntax.Takes(names...)(cmd, args)
	}
}

// from says where a credential comes from, for people.
func from(connection string, c *owner.Credential) string {
	switch {
	case !c.Declared:
		return "stored " + output.Timestamp(*c.StoredAt) + ", not used by the connector"
	case c.Source == owner.FromStore && c.Environment != "":
		return "stored " + output.Timestamp(*c.StoredAt) + ", over the variable " + c.Environment
	case c.Source == owner.FromStore:
		return "stored " + output.Timestamp(*c.StoredAt)
	case c.Source == owner.FromEnvironment:
		return "environment " + c.Environment
	case c.NotAccepted != "":
		return "missing; the variable " + c.NotAccepted + " is set but not accepted: pdpp-host plugins accept " +
			syntax.Quoted(connection) + " --allow variable=" + c.NotAccepted
	case len(c.Variables) > 0:
		return "missing; set it, or the variable " + strings.Join(c.Variables, " or ")
	default:
		return "missing"
	}
}
