package plugins

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/contract"
)

// tellReport writes how a module came out of the contract suite, but for its clauses:
// writeClause has done that. given says that folders were named.
func tellReport(s *session.Session, r *contract.Report, require, given bool) error {
	counts := map[contract.Outcome]int{}
	for _, clause := range r.Clauses {
		counts[clause.Outcome]++
	}
	failed := r.Failed()
	nothing := r.Records == 0 && len(failed) == 0
	summary := fmt.Sprintf("%s: %d clauses passed, %d failed, %d skipped; %s seen", output.Clean(r.Module),
		counts[contract.Pass], counts[contract.Fail], counts[contract.Skip], output.Plural(r.Records, "record"))
	if nothing {
		summary += "; its collecting was not judged"
	}
	text := func(w io.Writer) {
		if unjudged := unjudgedClauses(r); len(unjudged) > 0 && !s.Flags.Quiet {
			fmt.Fprintf(w, "%s  %s %s\n", mark(s.Printer.Style, contract.Skip), output.Plural(int64(len(unjudged)), "clause"), output.Clean(unjudged[0].Detail))
		}
		fmt.Fprintln(w, summary)
		for _, warning := range r.Warnings {
			fmt.Fprintln(w, s.Printer.Style.Yellow("warning:")+" "+output.Clean(warning))
		}
		outcome.WriteGaps(w, &run.Result{KnownGaps: r.Gaps}, "--json shows all of them")
		if nothing {
			_, todo := whyNothing(r, given)
			fmt.Fprintln(w, s.Printer.Style.Yellow("warning:")+" nothing was collected: "+output.Clean(todo))
		}
	}
	var err *abi.Error
	switch {
	case len(failed) > 0:
		err = abi.NewError(abi.CodePluginInvalid, fmt.Sprintf("the module breaks clause %s of the ABI contract", failed[0].ID),
			"abi/ABI.md explains each clause").WithDetail(failed[0].Title + ": " + failed[0].Detail)
	case nothing && require:
		why, todo := whyNothing(r, given)
		err = abi.NewError(abi.CodeNothingJudged, "nothing was collected, so the module's collecting was not judged", todo).WithDetail(why)
	default:
		return s.Printer.Result(summary, r, text)
	}
	if printErr := s.Printer.Failed(summary, r, err, text); printErr != nil {
		return printErr
	}
	return err
}

// unjudgedClauses are those that another one's failure kept from being judged. They
// are told of in one line.
func unjudgedClauses(r *contract.Report) (all []contract.Clause) {
	for _, c := range r.Clauses {
		if strings.HasPrefix(c.Detail, contract.NotJudged) {
			all = append(all, c)
		}
	}
	return all
}

// writeClause writes how one clause came out, as soon as it is judged.
func writeClause(s *session.Session, clause contract.Clause) {
	if s.Flags.Quiet && clause.Outcome != contract.Fail || strings.HasPrefix(clause.Detail, contract.NotJudged) {
		return
	}
	fmt.Fprintf(s.Printer.Out, "%s  %-24s %s\n", mark(s.Printer.Style, clause.Outcome), clause.ID, clause.Title)
	if clause.Detail != "" {
		fmt.Fprintf(s.Printer.Out, "      %s\n", output.Clean(clause.Detail))
	}
}

// whyNothing says of a module that broke no clause why it collected nothing, where
// that is known, and what to do about it.
func whyNothing(r *contract.Report, given bool) (why, todo string) {
	for _, c := range r.Clauses {
		if _, why, failed := strings.Cut(c.Detail, contract.CouldNotCollect); failed && c.Outcome == contract.Skip {
			return why, "put right what its run failed with"
		}
	}
	reads := slices.Contains(r.Bindings, abi.BindingFilesystem)
	asks := slices.Contains(r.Bindings, abi.BindingNetwork)
	bindings := r.Clause("manifest.bindings")
	switch {
	case strings.HasPrefix(bindings.Detail, contract.NeedsBrowser):
		return contract.NeedsBrowser, "test it with sdktest.Site, in go test"
	case bindings.Outcome == contract.Skip:
		return "it needs the network", "name a provider with --set base_url=URL, or reach the real one with --network"
	case reads && !given:
		return "", "give --root " + r.Connector + "=DIR, a folder with something in it"
	case len(r.Gaps) > 0:
		return outcome.GapLine(r.Gaps[0]), "see to what it could not collect"
	case reads:
		return "", "the folder that --root names has nothing that it collects"
	case asks:
		return "", "its provider had nothing for it; name one with --set base_url=URL, or reach the real one with --network"
	default:
		return "", "it reads no folders and asks no provider; it may have options, for --set KEY=VALUE"
	}
}

func mark(s output.Style, o contract.Outcome) string {
	switch o {
	case contract.Pass:
		return s.Green("pass")
	case contract.Fail:
		return s.Red("FAIL")
	default:
		return s.Dim("skip")
	}
}
