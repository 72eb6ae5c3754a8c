package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/secret"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// codeCredentialUnknown is of a field that the connector does not declare, or
// that has no stored value.
const codeCredentialUnknown abi.Code = "connection.credential_unknown"

const credentialHelp = "A credential is stored encrypted, for one connection. A stored one wins over the environment variable\n" +
	"that the connector names for it; without a stored one the variable is used. There is no command that\n" +
	"shows or exports a stored credential."

func (a *app) credentialCommand() *cobra.Command {
	cmd := a.group("credential", "Store and list a connection's credentials", nil)
	cmd.Long = "Store and list a connection's credentials.\n\n" + credentialHelp
	set := &cobra.Command{
		Use: "set NAME [FIELD]", Short: "Store a credential, typed or piped in", Args: takesNoSecret("NAME", "[FIELD]"),
		Long: "Store a credential. FIELD can be left out where the connector has only one. The value is asked for on the terminal and not shown, or read from standard input up to the\n" +
			"end of the line; it is never an argument.\n\n" + credentialHelp,
		Example: "  pdpp-host connections credential set github token\n" +
			"  pdpp-host connections credential set github token < token.txt",
		ValidArgsFunction: a.completeConnection,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.credentialSet(cmd.Context(), args[0], strings.Join(args[1:], ""))
		},
	}
	set.SetFlagErrorFunc(func(*cobra.Command, error) error { return secretArgument() })
	cmd.AddCommand(
		set,
		&cobra.Command{
			Use: "list NAME", Short: "List which credentials there are and where from, never their values", Args: takes("NAME"),
			ValidArgsFunction: a.completeConnection,
			RunE:              func(cmd *cobra.Command, args []string) error { return a.credentialList(cmd.Context(), args[0]) },
		},
		&cobra.Command{
			Use: "remove NAME FIELD", Short: "Forget a stored credential", Args: takesNoSecret("NAME", "FIELD"),
			ValidArgsFunction: a.completeConnection,
			RunE: func(cmd *cobra.Command, args []string) error {
				return a.credentialRemove(cmd.Context(), args[0], args[1])
			},
		},
	)
	return cmd
}

// takesNoSecret is takes, but it does not repeat what is too much: that may be the
// secret.
func takesNoSecret(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > len(names) {
			return secretArgument()
		}
		return takes(names...)(cmd, args)
	}
}

func secretArgument() error {
	return usage("a credential's value is never an argument",
		"an argument is seen by other programs and stays in the shell's history: leave it out and type it when asked, or pipe it in."+
			" If a real one was typed, replace it at its provider")
}

func (a *app) credentialSet(ctx context.Context, name, field string) error {
	return a.withStore(ctx, func(c *config.Config, store *storage.Store) error {
		conn, err := a.credentialConnection(ctx, c, store, name)
		if err != nil {
			return err
		}
		m, err := a.manifestOf(ctx, c, conn)
		if err != nil {
			return err
		}
		fields := manifest.Credentials(m)
		f, err := chosenField(conn.Name, fields, field)
		if err != nil {
			return err
		}
		s := a.newSecrets(c, store, conn, fields)
		// Before it is asked for: nobody types a secret twice for a lost key.
		if _, err := s.open(ctx, true); err != nil {
			return err
		}
		before, err := store.SealedCredentials(ctx, conn.ID)
		if err != nil {
			return err
		}
		value, err := secret.Reader{In: a.In, Err: a.Err, Stop: a.Stop}.Read(ctx, output.Clean(conn.Name+" "+f.Name))
		if err != nil {
			return err
		}
		defer clear(value)
		if err := s.put(ctx, map[string][]byte{f.Name: value}); err != nil {
			return err
		}
		_, replaced := before[f.Name]
		summary := fmt.Sprintf("stored %s of %s, encrypted", f.Name, conn.Name)
		if env := environmentName(*f, s.getenv); env != "" {
			summary += "; it wins over the variable " + env
		}
		return a.Printer.Result(summary, map[string]any{"connection": conn.Name, "field": f.Name, "replaced": replaced}, nil)
	})
}

func (a *app) credentialRemove(ctx context.Context, name, field string) error {
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		conn, err := a.connection(ctx, store, name)
		if err != nil {
			return err
		}
		had, err := store.DeleteCredential(ctx, conn.ID, field)
		if err != nil {
			return err
		}
		if !had {
			stored, err := store.StoredCredentials(ctx, conn.ID)
			if err != nil {
				return err
			}
			var names []string
			for _, s := range stored {
				names = append(names, s.Field)
			}
			return abi.NewError(codeCredentialUnknown, conn.Name+" has no stored credential of that name", nearestOf(field, names, "stored are"))
		}
		return a.Printer.Result(fmt.Sprintf("removed %s of %s", field, conn.Name),
			map[string]any{"connection": conn.Name, "field": field}, nil)
	})
}

// chosenField is the field that was named, or the only one there is.
func chosenField(connection string, fields []abi.CredentialField, typed string) (*abi.CredentialField, error) {
	if typed == "" && len(fields) == 1 {
		return &fields[0], nil
	}
	if typed == "" && len(fields) > 1 {
		return nil, usage("connection "+connection+" has several credentials",
			"name one of them: "+strings.Join(fieldNames(fields), ", ")+", as in: pdpp-host connections credential set "+quoted(connection)+" "+quoted(fields[0].Name))
	}
	if f := manifest.CredentialNamed(fields, typed); f != nil {
		return f, nil
	}
	return nil, unknownField(typed, fields)
}

func fieldNames(fields []abi.CredentialField) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	slices.Sort(names)
	return names
}

// unknownField does not repeat what was typed in the field's place: who leaves
// the field out types the secret there.
func unknownField(typed string, fields []abi.CredentialField) error {
	if len(fields) == 0 {
		if looksLikeSecret(typed) {
			return secretArgument()
		}
		return abi.NewError(codeCredentialUnknown, "the connector uses no credentials", "nothing has to be set; it can run")
	}
	names := fieldNames(fields)
	if looksLikeSecret(typed) && abi.Nearest(strings.ToLower(typed), names) == "" {
		return secretArgument()
	}
	return abi.NewError(codeCredentialUnknown, "the connector has no such credential field", nearestOf(typed, names, "its fields are"))
}

// leastSecret is how long a token is at least. Fields have shorter names, or such
// as are written in one case and with hardly a digit.
const leastSecret = 16

// looksLikeSecret reports whether what was typed as a field's name is none, but
// the value: long, and mixed as no name is.
func looksLikeSecret(typed string) bool {
	lower, upper, digits, other := 0, 0, 0, 0
	for _, r := range typed {
		switch {
		case r >= 'a' && r <= 'z':
			lower++
		case r >= 'A' && r <= 'Z':
			upper++
		case r >= '0' && r <= '9':
			digits++
		case r != '_' && r != '-':
			other++
		}
	}
	return len(typed) >= leastSecret && (digits > 1 || other > 0 || lower > 0 && upper > 1)
}

func nearestOf(typed string, names []string, list string) string {
	if len(names) == 0 {
		return "none is stored"
	}
	slices.Sort(names)
	hint := list + ": " + strings.Join(names, ", ")
	if n := abi.Nearest(strings.ToLower(typed), names); n != "" {
		return fmt.Sprintf("did you mean %q? %s", n, hint)
	}
	return hint
}

// credentialConnection finds a connection. Before a connector's first run there
// is none; then it says how to make it.
func (a *app) credentialConnection(ctx context.Context, c *config.Config, store *storage.Store, name string) (*storage.Connection, error) {
	conn, err := a.connection(ctx, store, name)
	if err == nil || abi.CodeOf(err) != abi.CodeConnectionUnknown {
		return conn, err
	}
	if names, listErr := installed(c.PluginsDir()); listErr == nil && slices.Contains(names, name) {
		return nil, abi.NewError(abi.CodeConnectionUnknown, fmt.Sprintf("there is no connection %q yet", name),
			fmt.Sprintf("make it first: pdpp-host connections add %s %s", name, name)).Wrap(err)
	}
	return nil, err
}

// manifestOf is the manifest that the connection was accepted with, or before
// its first run that of the installed module.
func (a *app) manifestOf(ctx context.Context, c *config.Config, conn *storage.Connection) (*abi.Manifest, error) {
	if m := pinnedManifest(conn); m != nil {
		return m, nil
	}
	file, _, err := moduleOf(c, conn)
	if err != nil {
		return nil, err
	}
	var d *described
	if err := a.withAnyEngine(c, func(engine *plugin.Engine) error {
		d, err = describe(ctx, engine, file)
		return err
	}); err != nil {
		return nil, err
	}
	if !abi.SameConnector(d.Manifest.ConnectorKey, conn.Connector) {
		return nil, abi.NewError(abi.CodePluginUnknown, "the module "+file.Name+" is not of connector "+conn.Connector,
			"put the connector's module into the plugins folder under its own name, or run the connection once")
	}
	return d.Manifest, nil
}
