package grants

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

func requestsCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "requests", Short: "List the apps that ask", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return requests(cmd.Context(), s) },
	}
}

func requests(ctx context.Context, s *session.Session) error {
	return s.Read(func(o *owner.Owner) error {
		all, err := grants.Requests(ctx, o)
		if err != nil {
			return err
		}
		return s.Printer.Result(output.Plural(int64(len(all)), "request"), map[string]any{"requests": all}, func(w io.Writer) {
			if len(all) == 0 {
				fmt.Fprintln(w, "no app asks for anything")
				return
			}
			rows := make([][]string, len(all))
			for i := range all {
				r := &all[i]
				rows[i] = []string{r.ID, output.Clean(r.Name()), asks(r), r.Code, output.Timestamp(r.ExpiresAt)}
			}
			output.Table(w, s.Printer.Style, []string{"request", "app", "wants", "code", "until"}, rows)
		})
	})
}

func askCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "ask NAME", Short: "Ask for an app that cannot ask by itself", Args: syntax.Takes("NAME"),
		Long: "Asks for an app that cannot do so by itself, as the host of a model on this machine, which `pdpp-host mcp` serves. You\n" +
			"choose what it gets, and approve it, as for any app. NAME is what you call it.",
		Example: "  pdpp-host grants ask 'Claude Desktop'",
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				r, err := grants.Ask(cmd.Context(), o, args[0])
				if err != nil {
					return err
				}
				return s.Printer.Result("asked for "+output.Clean(r.Name())+": "+r.ID, r, func(w io.Writer) {
					fmt.Fprintln(w, r.ID)
					if !s.Flags.Quiet {
						fmt.Fprintln(s.Err, s.Advice("choose what it gets: pdpp-host grants review "+r.ID+" --connection NAME --stream STREAM"))
					}
				})
			})
		},
	}
}

func lookCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "look REQUEST", Short: "Show what an app asks for, and what can be chosen", Args: syntax.Takes("REQUEST"), ValidArgsFunction: completeRequest(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Read(func(o *owner.Owner) error {
				r, err := grants.Look(cmd.Context(), o, args[0])
				if err != nil {
					return err
				}
				return s.Printer.Result("request "+r.ID+": "+r.State, r, func(w io.Writer) { writeRequest(w, s, r) })
			})
		},
	}
}

func codeCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "code CODE", Short: "Enter the code that a device shows", Args: syntax.Takes("CODE"),
		Long: "Takes the code that a device shows which asks to read, and shows its request: it can be approved from then on. After ten\n" +
			"codes that are wrong, no more are taken for an hour. `pdpp-host tokens approve CODE` is for a device that asks for everything.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				id, err := grants.EnterCode(cmd.Context(), o, args[0])
				if err != nil {
					return err
				}
				r, err := grants.Look(cmd.Context(), o, id)
				if err != nil {
					return err
				}
				return s.Printer.Result("request "+r.ID+": "+r.State, r, func(w io.Writer) { writeRequest(w, s, r) })
			})
		},
	}
}

func writeRequest(w io.Writer, s *session.Session, r *grants.Looked) {
	fmt.Fprintf(w, "%s (%s, not verified) %s: %s, until %s\n", output.Clean(r.Name()), output.Clean(r.ClientID), asks(&r.Request), r.State, output.Timestamp(r.ExpiresAt))
	writeAlso(w, &r.Request)
	writeCode(w, r.Code)
	if r.BackTo != "" {
		fmt.Fprintln(w, "whoever answers at "+output.Clean(r.BackTo)+" gets the access: your browser is sent back there")
	}
	if r.BackHere {
		fmt.Fprintln(w, "that is an app on the machine of your browser, where any program can wait for the access: go on only if you began it there yourself")
	}
	switch {
	case r.Wants == grants.WantsOwnerToken:
		fmt.Fprintln(w, s.Advice("it asks for a token that sees everything. Give it one by the code that it shows: pdpp-host tokens approve CODE   or refuse: pdpp-host grants deny "+r.ID))
	case r.NeedsCode:
		fmt.Fprintln(w, s.Advice("it is a device. Type the code that it shows: pdpp-host grants code CODE"))
	}
	if r.Wants == grants.WantsOwnerToken {
		return
	}
	if r.Asks == nil {
		fmt.Fprintln(w, "it leaves it to you what it gets")
	} else {
		writeClaims(w, r.Asks)
	}
	for i := range r.Offers {
		o := &r.Offers[i]
		names := make([]string, len(o.Connections))
		for k := range o.Connections {
			names[k] = o.Connections[k].Name
		}
		fmt.Fprintf(w, "of %s, connections %s:\n", output.Clean(o.Connector), cleaned(names))
		for k := range o.Streams {
			one, mark := &o.Streams[k], " (optional)"
			if one.Needed {
				mark = ""
			}
			fmt.Fprintf(w, "  %s%s: %s\n    %s\n", output.Clean(one.Name), mark, cleaned(one.Fields), output.Clean(one.Records))
		}
	}
	switch {
	case r.Waits() && len(r.Offers) == 0:
		if r.Asks != nil {
			fmt.Fprintln(w, "it asks for "+output.Clean(r.Asks.AskedFor()))
		}
		fmt.Fprintln(w, s.Advice("nothing here fits what it asks for, so it can get nothing. Refuse it: pdpp-host grants deny "+r.ID))
	case r.Waits() && !r.NeedsCode:
		fmt.Fprintln(w, s.Advice("see what it would get: pdpp-host grants review "+r.ID+"   or refuse: pdpp-host grants deny "+r.ID))
	}
}

// asks says what an app wants.
func asks(r *grants.Request) string {
	if r.Wants == grants.WantsOwnerToken {
		return "asks to speak for you"
	}
	return "asks to read"
}

// writeAlso says what else an app calls itself than it is registered by.
func writeAlso(w io.Writer, r *grants.Request) {
	if also := r.Also(); also != "" {
		fmt.Fprintf(w, "it calls itself \"%s\" now, which is not the name that it is registered by\n", output.Clean(also))
	}
}

// writeCode says what the app that waits shows, so that it can be told from another.
func writeCode(w io.Writer, code string) {
	if code != "" {
		fmt.Fprintln(w, "the app that waits shows the code "+code+": compare it with yours")
	}
}

// writeClaims quotes what an app says, which nothing enforces.
func writeClaims(w io.Writer, d *grant.Details) {
	fmt.Fprintln(w, "in the words of the app, which nothing enforces:")
	fmt.Fprintf(w, "  > for %s\n", output.Clean(d.PurposeCode))
	if d.PurposeDescription != "" {
		fmt.Fprintf(w, "  > %s\n", output.Clean(d.PurposeDescription))
	}
	if r := d.Retention; r != nil {
		fmt.Fprintf(w, "  > keeps it for %s, then %s\n", output.Clean(r.Span()), r.Then())
	}
	if c := d.ClientClaims; c != nil {
		for _, text := range c.Commitments {
			fmt.Fprintf(w, "  > %s\n", output.Clean(text))
		}
	}
}

// choiceFlags are what an owner chooses.
type choiceFlags struct {
	grant.Choices

	streams      []string
	since, until string
}

func (f *choiceFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Connector, "connector", "", "of the connector `KEY`, where the app leaves it to you")
	flags.StringArrayVar(&f.streams, "stream", nil, "give this stream, or `STREAM=FIELD,FIELD` of it; repeatable (default: what the app needs)")
	flags.StringArrayVar(&f.Connections, "connection", nil, "of the connection `NAME`; repeatable")
	flags.StringVar(&f.since, "since", "", "only records from `TIME` on, by their own time")
	flags.StringVar(&f.until, "until", "", "only records before `TIME`")
	flags.StringVar(&f.Expires, "expires", "", "it ends after 1d, 30d or 90d, on a day, or `never` (default 30d)")
	flags.BoolVar(&f.AITraining, "allow-training", false, "the app may train models with it")
}

func (f *choiceFlags) read(s *session.Session) (grant.Choices, error) {
	for _, text := range f.streams {
		name, fields, some := strings.Cut(text, "=")
		c := grant.Choice{Name: name}
		if some {
			c.Fields = strings.Split(fields, ",")
		}
		f.Streams = append(f.Streams, c)
	}
	for _, one := range []struct {
		flag, text string
		to         **time.Time
	}{{"--since", f.since, &f.Since}, {"--until", f.until, &f.Until}} {
		if one.text == "" {
			continue
		}
		at, err := syntax.Time(one.flag, one.text, s.Now())
		if err != nil {
			return f.Choices, err
		}
		*one.to = &at
	}
	return f.Choices, nil
}

func reviewCommand(s *session.Session) *cobra.Command {
	var f choiceFlags
	cmd := &cobra.Command{
		Use: "review REQUEST", Short: "Show what an app would get by your choices", Args: syntax.Takes("REQUEST"), ValidArgsFunction: completeRequest(s),
		Long: "Shows what an app would get, and gives it nothing. You can give less than it asks for: fewer fields, one of several\n" +
			"connections, a shorter time. What was shown last can be approved, by its revision, and nothing else.",
		Example: "  pdpp-host grants review grq_5k2a --connection work --stream issues=title,state --since 2026-01-01 --expires 90d",
		RunE: func(cmd *cobra.Command, args []string) error {
			choices, err := f.read(s)
			if err != nil {
				return err
			}
			return s.Change(func(o *owner.Owner) error {
				r, err := grants.Review(cmd.Context(), o, args[0], choices)
				if err != nil {
					return err
				}
				return s.Printer.Result("reviewed "+r.RequestID, r, func(w io.Writer) { writeReview(w, s, r) })
			})
		},
	}
	f.define(cmd)
	return cmd
}

// shortRevision is as much of a revision as is typed.
const shortRevision = 12

func writeReview(w io.Writer, s *session.Session, r *grants.Reviewed) {
	name := r.Review.Client.ID
	if r.Review.Client.Display != nil {
		name = *r.Review.Client.Display
	}
	fmt.Fprintf(w, "%s (not verified) would get, and this host enforces it:\n", output.Clean(name))
	writeGets(w, &r.Gets)
	writeCode(w, r.Code)
	if !r.Awaited {
		fmt.Fprintln(w, "no app waits for it: its token is shown to you")
	}
	fmt.Fprintln(w, s.Advice("approve it: pdpp-host grants approve "+r.RequestID+" --revision "+r.Revision[:shortRevision]+"   or refuse: pdpp-host grants deny "+r.RequestID))
}

func approveCommand(s *session.Session) *cobra.Command {
	var revision string
	cmd := &cobra.Command{
		Use: "approve REQUEST", Short: "Give an app what the last review showed", Args: syntax.Takes("REQUEST"), ValidArgsFunction: completeRequest(s),
		Long: "Gives an app what `pdpp-host grants review` showed last, named by the revision that it printed. An app that waits gets its\n" +
			"token by itself; of one that does not, the token alone is on standard output, once.",
		RunE: func(cmd *cobra.Command, args []string) error { return approve(cmd.Context(), s, args[0], revision) },
	}
	cmd.Flags().StringVar(&revision, "revision", "", "the review's `REVISION`, or its first 12 characters")
	return cmd
}

func approve(ctx context.Context, s *session.Session, id, revision string) error {
	if len(revision) < shortRevision {
		return syntax.Usage("--revision is missing, or shorter than 12 characters", "`pdpp-host grants review "+syntax.Quoted(id)+"` prints it")
	}
	return s.Change(func(o *owner.Owner) error {
		r, err := grants.Look(ctx, o, id)
		if err != nil {
			return err
		}
		if strings.HasPrefix(r.Revision, revision) {
			revision = r.Revision
		}
		made, err := grants.Approve(ctx, o, grants.Approval{RequestID: id, Revision: revision, Shows: true})
		if err != nil {
			return err
		}
		return s.Printer.Result("approved "+id+": "+made.GrantID, made, func(w io.Writer) {
			if made.Back != "" {
				fmt.Fprintln(w, "approved: "+made.GrantID+"; open this within a minute, in the browser that the app uses:")
				fmt.Fprintln(w, output.Clean(made.Back))
				return
			}
			if made.Token == "" {
				fmt.Fprintln(w, "approved: "+made.GrantID)
				writeCode(w, r.Code)
				return
			}
			if !s.Flags.Quiet {
				fmt.Fprintln(s.Err, "approved: "+made.GrantID+"; the app's token, shown this once:")
			}
			fmt.Fprintln(w, made.Token)
		})
	})
}

func denyCommand(s *session.Session) *cobra.Command {
	var app string
	var all bool
	cmd := &cobra.Command{
		Use: "deny [REQUEST]", Short: "Refuse what an app asks for", Args: syntax.Takes("[REQUEST]"), ValidArgsFunction: completeRequest(s),
		Long: "Refuses a request: its app is told so, and gets nothing. --app refuses all that one app asks for, by the id of its client,\n" +
			"which `pdpp-host grants look` prints; --all refuses all that apps ask for.",
		Example: "  pdpp-host grants deny grq_5k2a\n  pdpp-host grants deny --app cl_7q3d\n  pdpp-host grants deny --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			named := len(args)
			for _, flag := range []string{"app", "all"} {
				if cmd.Flags().Changed(flag) {
					named++
				}
			}
			if named != 1 || app == "" && cmd.Flags().Changed("app") {
				return syntax.Usage("name one request, or one app by --app CLIENT, or write --all", "`pdpp-host grants requests` lists what apps ask for")
			}
			return s.Change(func(o *owner.Owner) error {
				if len(args) == 0 {
					return denyAll(cmd.Context(), s, o, app)
				}
				if _, err := grants.Refuse(cmd.Context(), o, args[0]); err != nil {
					return err
				}
				return s.Printer.Result("refused "+args[0], map[string]string{"request_id": args[0]}, nil)
			})
		},
	}
	cmd.Flags().StringVar(&app, "app", "", "all requests of one app, by the id of its `CLIENT`")
	cmd.Flags().BoolVar(&all, "all", false, "all requests that wait")
	return cmd
}

// denyAll refuses the requests that wait now, of one client or of all.
func denyAll(ctx context.Context, s *session.Session, o *owner.Owner, client string) error {
	waiting, err := grants.Requests(ctx, o)
	if err != nil {
		return err
	}
	n := 0
	if len(waiting) > 0 { // the newest comes first
		if n, err = grants.RefuseAll(ctx, o, client, waiting[0].CreatedAt); err != nil {
			return err
		}
	}
	said := "refused " + output.Plural(int64(n), "request")
	switch {
	case n == 0 && client == "":
		said = "no app asks for anything"
	case n == 0:
		said = "that app asks for nothing"
	}
	return s.Printer.Result(said, map[string]int{"refused": n}, nil)
}

func completeRequest(s *session.Session) cobra.CompletionFunc {
	return complete(s, grants.Requests, func(r *grants.Request) string { return r.ID })
}
