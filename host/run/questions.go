package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
)

// maxInteractions bounds how often one run may ask.
const maxInteractions = 100

// How long an owner has to answer (runtime contract, section 6). missing_credentials
// waits as long as the run may.
const (
	askDefault = 30 * time.Minute
	askLeast   = time.Minute
	askMost    = time.Hour
)

// questions puts a guest's interactions to the owner, one at a time.
type questions struct {
	*journal

	gate     *boundary.Gate
	manifest *abi.Manifest
	asker    Asker   // nil: nobody can be asked
	secrets  Secrets // nil: there are none
	logger   *slog.Logger
	granted  bool // START grants interactive
	rest     *rest
	browsing Browsing // nil: the run has no browser

	open   atomic.Bool // a question waits for its answer
	handed atomic.Bool // and a page of the browser is its owner's meanwhile
	asked  int
	asks   sync.WaitGroup

	unanswered atomic.Bool // the owner did not answer one, or declined
}

// ask puts a question to the owner. The guest may do nothing else until the question is
// answered. A credential that the owner types stays with the host: the guest learns the status
// only (Invariant 5).
func (q *questions) ask(request []byte, reply func([]byte)) error {
	in, err := q.gate.Interaction(request)
	if err != nil {
		return err
	}
	if !q.granted {
		return abi.NewError(abi.CodeBindingNotGranted, "INTERACTION without the interactive binding",
			"look at START.bindings.interactive, and end with DONE failed when it is absent")
	}
	if err := q.checkCredentials(in); err != nil {
		return err
	}
	if q.asked >= maxInteractions {
		return abi.NewError(abi.CodeTooManyMessages, fmt.Sprintf("more than %d interactions", maxInteractions), "ask once for everything")
	}
	q.asked++
	on, shows := q.asker.(PageAsker)
	shows = shows && in.Browser != nil && q.browsing != nil
	q.handed.Store(shows)
	q.open.Store(true)
	q.asks.Go(func() {
		if q.browsing != nil && in.Kind == abi.InteractionOTP { // a code is good once: the page that it is for is there
			if err := q.browsing.Ready(q.ctx); err != nil {
				q.refused(in, err, reply)
				return
			}
		}
		ctx, cancel, err := q.begin(in)
		defer cancel()
		if err != nil {
			q.stop(err)
			return
		}
		var page handoff.Page
		if shows {
			page, err = q.browsing.HandOver(ctx, in.Browser)
		}
		if err != nil {
			q.rest.end()
			q.refused(in, err, reply)
			return
		}
		if q.browsing != nil {
			q.browsing.Asking(true)
		}
		var resp abi.InteractionResponse
		switch {
		case page != nil:
			resp, err = on.AskOn(ctx, *in, page)
		case in.Browser != nil && q.browsing != nil: // in a window on the screen the connector would look on
			q.logger.Warn("a page of the browser was not shown to you: have `pdpp-host serve` run the connection")
			resp.Status = abi.ResponseCancelled
		default:
			resp, err = q.asker.Ask(ctx, *in)
		}
		q.rest.end()
		if page != nil {
			page.Back(q.ctx, err == nil && resp.Status == abi.ResponseSuccess)
		}
		if q.browsing != nil {
			q.browsing.Asking(false)
		}
		if page != nil && page.Outcome() == handoff.OutcomeLost { // nobody has declined
			q.refused(in, abi.NewError(abi.CodeBrowserClosed, "the page or its browser is gone, and nothing that the owner typed was kept", "end the run as failed; another run asks again"), reply)
			return
		}
		q.answered(in, resp, err, reply)
	})
	return nil
}

// begin tells that the owner is asked, and until when. The run's limits rest from then on, for as
// long as the question may wait.
func (q *questions) begin(in *abi.Interaction) (ctx context.Context, cancel context.CancelFunc, err error) {
	about := map[string]any{"request_id": clip(in.RequestID, maxGapText), "kind": in.Kind}
	if in.Browser != nil {
		about["page_for"] = in.Browser.Reason
	}
	ctx, cancel = q.ctx, func() {}
	if timeout := askTimeout(in); timeout > 0 {
		about["expires_at"] = q.now().Add(timeout).UTC().Format(time.RFC3339Nano)
		ctx, cancel = context.WithTimeout(q.ctx, timeout)
		q.rest.begin()
	}
	return ctx, cancel, q.event("run.interaction_required", in.Stream, about)
}

// refused tells the guest of a page that cannot be handed over, or that is gone: nobody has answered.
func (q *questions) refused(in *abi.Interaction, why error, reply func([]byte)) {
	e, ok := errors.AsType[*abi.Error](why)
	if !ok {
		e = abi.NewError(abi.CodeBrowserTimeout, "the page cannot be handed over now", "try it again").Wrap(why)
	}
	_ = q.event("run.interaction_completed", in.Stream, map[string]any{"request_id": clip(in.RequestID, maxGapText), "status": string(e.Code)})
	q.handed.Store(false)
	q.open.Store(false)
	reply(refusal(e))
}

// refusal is the answer of an operation that failed.
func refusal(e *abi.Error) []byte {
	b, err := json.Marshal(map[string]any{"error": abi.BrowserFailure{Code: e.Code, Message: e.Message, Hint: e.Hint}})
	if err != nil { // three texts
		panic(err)
	}
	return b
}

// handedOver answers requests of the browser while a page is its owner's.
var handedOver = append(refusal(abi.NewError(abi.CodeBrowserHandedOver, "the page is its owner's, who was asked to act there", "wait for the answer to the INTERACTION")), '\n')

// checkCredentials refuses a question for credentials that the manifest does not
// declare: the host would keep none of the answers, and an owner may type a secret of
// another service there.
func (q *questions) checkCredentials(in *abi.Interaction) error {
	if !asksForCredentials(in) {
		return nil
	}
	declared := manifest.Credentials(q.manifest)
	if len(declared) == 0 {
		return abi.NewError(abi.CodeInteractionInvalid, "a question for credentials by a connector that declares none", "declare them in setup.credential_capture")
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if len(in.Schema) > 0 && json.Unmarshal(in.Schema, &schema) != nil {
		return abi.NewError(abi.CodeInteractionInvalid, "the schema of a question for credentials is no object of properties", "see abi/ABI.md, section INTERACTION")
	}
	for name := range schema.Properties {
		if manifest.CredentialNamed(declared, name) == nil {
			return abi.NewError(abi.CodeInteractionInvalid, fmt.Sprintf("a question for the credential %q, which the manifest does not declare", clip(name, maxGapText)),
				"declare it in setup.credential_capture")
		}
	}
	return nil
}

func asksForCredentials(in *abi.Interaction) bool {
	return in.Kind == abi.InteractionCredentials || in.Kind == abi.InteractionMissingCredentials
}

func askTimeout(in *abi.Interaction) time.Duration {
	switch {
	case in.TimeoutSeconds != nil:
		return min(max(time.Duration(*in.TimeoutSeconds*float64(time.Second)), askLeast), askMost)
	case in.Kind == abi.InteractionMissingCredentials:
		return 0
	default:
		return askDefault
	}
}

// answered hands the answer to the guest, and ends the run when it cannot be used.
func (q *questions) answered(in *abi.Interaction, resp abi.InteractionResponse, err error, reply func([]byte)) {
	known := resp.Status == abi.ResponseSuccess || resp.Status == abi.ResponseCancelled || resp.Status == abi.ResponseTimeout
	switch {
	case q.ctx.Err() == nil && (err != nil || !known):
		q.stop(abi.NewError(abi.CodeInteractionInvalid, "the answer to an interaction could not be used",
			"run again, and answer on a terminal").Wrap(err))
		resp = abi.InteractionResponse{Status: abi.ResponseCancelled}
	case err != nil:
		resp = abi.InteractionResponse{Status: abi.ResponseCancelled}
	}
	resp.Type, resp.RequestID = abi.TypeInteractionResp, in.RequestID
	if asksForCredentials(in) {
		q.keepSecrets(&resp)
		resp.Data = nil
	}
	if q.browsing != nil && resp.Status == abi.ResponseSuccess && q.browsing.Keep(in.Kind, resp.Data) {
		resp.Data = nil
	}
	answer, mErr := json.Marshal(resp)
	if mErr != nil {
		q.stop(mErr)
		return
	}
	if resp.Status != abi.ResponseSuccess {
		q.unanswered.Store(true)
		hint := "refresh_credentials"
		if in.Kind == abi.InteractionOTP || in.Kind == abi.InteractionManualAction {
			hint = "manual_action_required"
		}
		q.known.add(KnownGap{
			Kind: "interaction", Reason: "interaction_" + resp.Status, Severity: "actionable", Stream: in.Stream,
			RecoveryHint: hint, Message: "the owner was asked for " + in.Kind,
		})
	}
	_ = q.event("run.interaction_completed", in.Stream, map[string]any{"request_id": clip(in.RequestID, maxGapText), "status": resp.Status})
	q.handed.Store(false)
	q.open.Store(false)
	reply(answer)
}

// keepSecrets stores the credentials that the owner typed. If that fails, the answer
// counts as cancelled: the guest would go on without them.
func (q *questions) keepSecrets(resp *abi.InteractionResponse) {
	if q.secrets == nil || resp.Status != abi.ResponseSuccess || len(resp.Data) == 0 {
		return
	}
	if err := q.secrets.Keep(q.lasting(), resp.Data); err != nil {
		q.logger.Error("the credential could not be kept", "code", string(abi.CodeOf(err)), "error", err.Error())
		resp.Status = abi.ResponseCancelled
	}
}
