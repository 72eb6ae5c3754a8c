package mcp

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/api/mcp"
	"github.com/pdpp-host/pdpp-host/host/api/records"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// The variables of the environment.
const (
	ownersToken = "PDPP_OWNER_TOKEN" //nolint:gosec // the name of a variable; no model is given it
	grantsToken = "PDPP_GRANT_TOKEN" //nolint:gosec // as above
)

type flags struct{ grant, tokenFile string }

// Command is the command `mcp`.
func Command(s *session.Session) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "mcp", Short: "Let a model on this machine read what a grant shows", Args: syntax.Takes(),
		Long: "Speaks the Model Context Protocol on standard input and output, for the host of a model that starts it, as Claude Desktop\n" +
			"does. The model reads what one grant shows, and changes nothing. `pdpp-host grants ask` and `pdpp-host grants approve` make one; what\n" +
			"`pdpp-host grants revoke` ends is refused from the next question on. It works on the store of this machine, whether\n" +
			"`pdpp-host serve` runs or not.\n\n" +
			"A grant is named by --grant, or by its token in the file of --token-file or in " + grantsToken + ". A token is never an argument.",
		Example: "  pdpp-host mcp --grant grt_5k2a",
		RunE: func(cmd *cobra.Command, _ []string) error {
			who, err := f.caller()
			if err != nil {
				return err
			}
			return s.Read(func(o *owner.Owner) error { return serve(cmd.Context(), s, o, who) })
		},
	}
	cmd.Flags().StringVar(&f.grant, "grant", "", "read under the grant `ID`")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "read under the grant whose token `FILE` holds")
	return cmd
}

// caller says who reads, of an owner's store, each time that it is asked.
func (f *flags) caller() (func(context.Context, *owner.Owner) (*read.Caller, error), error) {
	if os.Getenv(ownersToken) != "" {
		return nil, abi.NewError("grants.owner_token", "the environment has "+ownersToken+", and a model is never given what sees everything", "unset it, and name a grant with --grant")
	}
	token := os.Getenv(grantsToken)
	if f.tokenFile != "" {
		text, err := os.ReadFile(f.tokenFile)
		if err != nil {
			return nil, syntax.Usage("the file of --token-file cannot be read", "name one that holds the token alone").Wrap(err)
		}
		token = strings.TrimSpace(string(text))
	}
	switch {
	case f.grant != "" && f.tokenFile != "":
		return nil, syntax.Usage("--grant and --token-file exclude each other", "leave one of them out")
	case f.grant != "":
		return func(ctx context.Context, o *owner.Owner) (*read.Caller, error) { return grants.Caller(ctx, o, f.grant) }, nil
	case token != "":
		return func(ctx context.Context, o *owner.Owner) (*read.Caller, error) { return grants.ByToken(ctx, o, token) }, nil
	}
	return nil, syntax.Usage("no grant is named", "name one with --grant: `pdpp-host grants` lists them, `pdpp-host grants ask NAME` begins one")
}

// serve answers on standard input and output until the input ends. Nothing else is written there.
func serve(ctx context.Context, s *session.Session, o *owner.Owner, who func(context.Context, *owner.Owner) (*read.Caller, error)) error {
	if _, err := who(ctx, o); err != nil { // to say at once that nothing can be read
		return err
	}
	of := o.As(owner.Actor{Face: owner.App}, nil)
	err := grants.Counting(ctx, of, s.Logger, func(ledger *desk.Ledger) error {
		readers := records.New(records.Deps{
			Guard: &web.Guard{}, Now: s.Now, Random: s.Random, Logger: s.Logger, Reader: func(ctx context.Context) (*read.Reader, error) { return of.Reader(ctx) }, Tell: of.Tell, Disclose: ledger.Note, Spent: ledger.Spent,
		})
		ask := mcp.Under(readers, func(ctx context.Context) (*read.Caller, error) { return who(ctx, of) })
		return mcp.Serve(ctx, mcp.Options{Version: s.Version, Provider: "pdpp-host", Logger: s.Logger}, ask, s.In, s.Out)
	})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
