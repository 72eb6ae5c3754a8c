package grants

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

func readsCommand(s *session.Session) *cobra.Command {
	var limit int64
	cmd := &cobra.Command{
		Use: "reads GRANT", Short: "List what an app has read, the newest first", Args: syntax.Takes("GRANT"), ValidArgsFunction: completeGrant(s),
		Long: "Lists the reads of an app, up to the last second: of which streams, how many records, and what was refused. Nothing that\n" +
			"stood in them is kept, nor what was searched. Each read is kept for 400 days; `pdpp-host grants show` has the sums of all.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 || limit > grants.MostReads {
				return syntax.Usage("--limit is not between 1 and "+strconv.Itoa(grants.MostReads), "leave it out for 50")
			}
			return s.Read(func(o *owner.Owner) error {
				all, err := grants.Reads(cmd.Context(), o, args[0], 0, limit)
				if err != nil {
					return err
				}
				return s.Printer.Result(output.Plural(int64(len(all)), "read"), map[string]any{"reads": all}, func(w io.Writer) {
					if len(all) == 0 {
						fmt.Fprintln(w, "it has read nothing")
						return
					}
					rows := make([][]string, len(all))
					for i := range all {
						r := &all[i]
						rows[i] = []string{output.Timestamp(r.At), output.Clean(strings.Join(r.Streams, ", ")), strconv.FormatInt(r.Records, 10), output.Bytes(r.Bytes), outcome(r), output.Clean(strings.Join(r.Parameters, ", "))}
					}
					output.Table(w, s.Printer.Style, []string{"at", "streams", "records", "size", "outcome", "asked with"}, rows)
				})
			})
		},
	}
	cmd.Flags().Int64Var(&limit, "limit", 50, "show at most `N`")
	return cmd
}

func outcome(r *grants.Read) string {
	if r.Code == "" {
		return "read"
	}
	return output.Clean(r.Code)
}

func limitCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "limit GRANT MIB", Short: "Bound what an app reads in an hour", Args: syntax.Takes("GRANT", "MIB"), ValidArgsFunction: completeGrant(s),
		Long: "Bounds how many MiB an app may read by a grant in an hour. The usual is 200.",
		RunE: func(cmd *cobra.Command, args []string) error {
			mib, err := strconv.ParseInt(args[1], 10, 32)
			if err != nil {
				return syntax.Usage("MIB is no whole number", "the usual is 200")
			}
			return s.Change(func(o *owner.Owner) error {
				if err := grants.Limit(cmd.Context(), o, args[0], mib<<20); err != nil {
					return err
				}
				return s.Printer.Result("bounded "+args[0], map[string]any{"grant_id": args[0], "hourly_bytes_limit": mib << 20}, nil)
			})
		},
	}
}
