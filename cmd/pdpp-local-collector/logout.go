package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

func (a *app) logoutCommand() *cobra.Command {
	var f laneFlags
	var local bool
	cmd := &cobra.Command{
		Use: "logout", Short: "Give the credential back and delete the profile", Args: syntax.Takes(),
		Long: "Asks the host to end the credential, and deletes the profile once the host has confirmed it. The outbox\n" +
			"stays. With --local-only the host is not asked: its credential then lives on until it is ended there.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.lane(f)
			if err != nil {
				return err
			}
			dir, err := profile.FolderOf(a.env())
			if err != nil {
				return err
			}
			c, err := a.collector(l)
			if err != nil {
				return err
			}
			r, err := c.Logout(cmd.Context(), dir, local)
			if err != nil {
				return err
			}
			return a.tellLogout(l, r)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&local, "local-only", false, "delete the profile without asking the host")
	return cmd
}

func (a *app) tellLogout(l *lane, r *collector.LoggedOut) error {
	did := "the credential is ended"
	switch {
	case r.EndedBefore:
		did = "the host had ended the credential already"
	case r.RevokedAt == nil:
		did = "the credential was NOT ended: end it on the host"
	}
	if r.ProfileDeleted {
		did += "; the profile is deleted"
	}
	return a.Printer.Result(did, r, func(w io.Writer) {
		if !a.Flags.Quiet {
			fmt.Fprintf(w, "%s\n  the outbox stays: %s\n", did, output.Clean(a.tilde(l.path)))
		}
	})
}
