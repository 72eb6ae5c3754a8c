package api

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/said"
)

// Envelope looks for what the envelopes of many APIs have around their rows: GraphQL's errors,
// Slack's ok, a member error, success false, the status or stat that JSend and Flickr have, a status
// or code from 400 on, a result that is an error, and a message where there are no rows. Members such
// as GitHub's incomplete_results, truncated and timed_out say that rows are missing. A name counts in
// any case, with and without underscores. It looks at the answers of lists alone, because a record
// may have such members of its own, and not at the rows.
func Envelope(v jsonvalue.Value) *Refusal {
	got := envelopeOf(v)
	for _, name := range []string{"meta", "status", "data"} {
		if inner := v.Get(name); inner.Kind() == jsonvalue.Object {
			got.add(envelopeOf(inner))
		}
	}
	switch {
	case got.failed, got.message && !got.good && !hasRows(v):
		ok := OK(v)
		return &Refusal{Said: said.Of(v), Denied: ok != nil && ok.Denied}
	case got.partial:
		return &Refusal{Partial: true}
	}
	return nil
}

// verdict is what an envelope says of its request.
type verdict struct{ failed, partial, good, message bool }

func (r *verdict) add(o verdict) {
	r.failed, r.partial, r.good = r.failed || o.failed, r.partial || o.partial, r.good || o.good
}

// The words of a status.
var (
	failedWords  = []string{"fail", "failed", "failure", "error", "err"}
	partialWords = []string{"partial", "incomplete", "truncated", "timeout", "timed_out"}
	goodWords    = []string{"ok", "success", "successful", "succeeded", "complete", "completed", "done", "none", ""}
)

// errorCode is the first code of a failure.
const errorCode = 400

func envelopeOf(v jsonvalue.Value) (r verdict) {
	for it := v.Children(); v.Kind() == jsonvalue.Object && it.Next(); {
		one := it.Value()
		word := strings.ToLower(strings.TrimSpace(one.Str()))
		switch strings.ReplaceAll(strings.ToLower(it.Name().Str()), "_", "") {
		case "status", "stat", "result", "statuscode", "code", "httpstatus", "httpcode":
			r.status(one, word)
		case "ok", "success", "succeeded":
			r.failed = r.failed || one.Kind() == jsonvalue.False
			r.good = r.good || one.Kind() == jsonvalue.True
		case "error", "errors":
			r.failed = r.failed || !empty(one)
		case "errorcode", "errcode", "errno":
			r.failed = r.failed || !empty(one) && word != "0" && !(word != "" && slices.Contains(goodWords, word))
		case "iserror", "haserror", "haserrors", "failed":
			r.failed = r.failed || one.Kind() == jsonvalue.True
		case "incompleteresults", "incomplete", "truncated", "istruncated", "partial", "ispartial", "timedout":
			r.partial = r.partial || one.Kind() == jsonvalue.True
		case "message":
			r.message = !slices.Contains(goodWords, word)
		}
	}
	return r
}

// status reads a status, which is a word, a number, or the text of one.
func (r *verdict) status(v jsonvalue.Value, word string) {
	n, whole := v.IntOK()
	if text, err := strconv.ParseInt(word, 10, 64); err == nil {
		n, whole = text, true
	}
	r.failed = r.failed || whole && n >= errorCode || slices.Contains(failedWords, word)
	r.partial = r.partial || slices.Contains(partialWords, word)
	r.good = r.good || whole && n < errorCode || word != "" && slices.Contains(goodWords, word)
}

// hasRows reports whether an answer has rows, itself or in one of its members.
func hasRows(v jsonvalue.Value) bool {
	if v.Kind() == jsonvalue.Array {
		return v.Len() > 0
	}
	for it := v.Children(); v.Kind() == jsonvalue.Object && it.Next(); {
		one := it.Value()
		if one.Kind() == jsonvalue.Array && one.Len() > 0 {
			return true
		}
		for in := one.Children(); one.Kind() == jsonvalue.Object && in.Next(); {
			if in.Value().Kind() == jsonvalue.Array && in.Value().Len() > 0 {
				return true
			}
		}
	}
	return false
}
