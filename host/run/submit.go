package run

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// How long an owner has to answer (contracts: section 6). missing_credentials
// waits as long as the run may.
const (
	askDefault = 30 * time.Minute
	askLeast   = time.Minute
	askMost    = time.Hour
)

// Submit starts one request of the guest. A refusal is the guest's to read; a
// violation ends the run besides.
func (c *collection) Submit(op abi.Operation, request []byte, reply func([]byte)) error {
	if op != abi.OpStart {
		if err := c.ready("a request"); err != nil {
			c.stop(err)
			return err
		}
	}
	switch op {
	case abi.OpStart:
		if c.started {
			return abi.NewError(abi.CodeStartTwice, "START was read already", "keep what it said")
		}
		c.started = true
		reply(c.start)
		return nil
	case abi.OpNow:
		answer, err := json.Marshal(map[string]int64{"unix_ms": c.deps.Now().UnixMilli()})
		if err != nil {
			return err
		}
		reply(answer)
		return nil
	case abi.OpGaps:
		if err := c.flush(); err != nil {
			c.stop(err)
			return err
		}
		answer, err := c.gapsAnswer(context.WithoutCancel(c.ctx))
		if c.stored(err) != nil {
			c.stop(err)
			return err
		}
		reply(answer)
		return nil
	case abi.OpInteract:
		if err := c.interact(request, reply); err != nil {
			c.stop(c.fail(err))
			return err
		}
		return nil
	case abi.OpHTTP:
		if c.sending == nil {
			return abi.NewError(abi.CodeBindingNotGranted, "the run was not granted the network", "look at START.bindings.network first")
		}
		c.sent(request, reply)
		return nil
	case abi.OpBrowser:
		return abi.NewError(abi.CodeBindingNotGranted, "the run was not granted the binding of this operation",
			"declare it in the manifest's runtime_requirements.bindings")
	default:
		return abi.NewError(abi.CodeOperationUnknown, "unknown operation", "see the operation table")
	}
}

// interact puts a question to the owner. The guest may do nothing else until
// it is answered. What an owner types for a credential stays with the host:
// the guest learns the status only (Invariant 5).
func (c *collection) interact(request []byte, reply func([]byte)) error {
	in, err := c.gate.Interaction(request)
	if err != nil {
		return err
	}
	if !c.mayAsk {
		return abi.NewError(abi.CodeBindingNotGranted, "INTERACTION without the interactive binding",
			"look at START.bindings.interactive, and end with DONE failed when it is absent")
	}
	if err := c.askable(in); err != nil {
		return err
	}
	if c.asked >= maxInteractions {
		return abi.NewError(abi.CodeTooManyMessages, fmt.Sprintf("more than %d interactions", maxInteractions), "ask once for everything")
	}
	if err := c.event("run.interaction_required", in.Stream, map[string]any{"request_id": clip(in.RequestID, maxGapText), "kind": in.Kind}); err != nil {
		return err
	}
	c.asked++
	c.asking.Store(true)
	ctx, cancel := c.ctx, context.CancelFunc(func() {})
	if d := askTimeout(in); d > 0 {
		ctx, cancel = context.WithTimeout(c.ctx, d)
	}
	c.asks.Go(func() {
		defer cancel()
		resp, err := c.deps.Asker.Ask(ctx, *in)
		c.answered(in, resp, err, reply)
	})
	return nil
}

// askable refuses a question for credentials that the manifest does not declare: the
// host would keep none of the answers, and an owner may type a secret of something
// else there.
func (c *collection) askable(in *abi.Interaction) error {
	if in.Kind != abi.InteractionCredentials && in.Kind != abi.InteractionMissingCredentials {
		return nil
	}
	declared := manifest.Credentials(c.manifest)
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

// keepSecrets stores what the owner typed for a credential. What cannot be kept
// was not given: the guest would go on without it.
func (c *collection) keepSecrets(resp *abi.InteractionResponse) {
	if c.secrets == nil || resp.Status != abi.ResponseSuccess || len(resp.Data) == 0 {
		return
	}
	if err := c.secrets.Keep(context.WithoutCancel(c.ctx), resp.Data); err != nil {
		c.deps.Logger.Error("the credential could not be kept", "code", string(abi.CodeOf(err)), "error", err.Error())
		resp.Status = abi.ResponseCancelled
	}
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

func (c *collection) answered(in *abi.Interaction, resp abi.InteractionResponse, err error, reply func([]byte)) {
	known := resp.Status == abi.ResponseSuccess || resp.Status == abi.ResponseCancelled || resp.Status == abi.ResponseTimeout
	switch {
	case c.ctx.Err() == nil && (err != nil || !known):
		c.stop(abi.NewError(abi.CodeInteractionInvalid, "the answer to an interaction could not be used",
			"run again, and answer on a terminal").Wrap(err))
		resp = abi.InteractionResponse{Status: abi.ResponseCancelled}
	case err != nil:
		resp = abi.InteractionResponse{Status: abi.ResponseCancelled}
	}
	resp.Type, resp.RequestID = abi.TypeInteractionResp, in.RequestID
	if in.Kind == abi.InteractionCredentials || in.Kind == abi.InteractionMissingCredentials {
		c.keepSecrets(&resp)
		resp.Data = nil
	}
	answer, mErr := json.Marshal(resp)
	if mErr != nil {
		c.stop(mErr)
		return
	}
	if resp.Status != abi.ResponseSuccess {
		hint := "refresh_credentials"
		if in.Kind == abi.InteractionOTP || in.Kind == abi.InteractionManualAction {
			hint = "manual_action_required"
		}
		c.known.add(KnownGap{
			Kind: "interaction", Reason: "interaction_" + resp.Status, Severity: "actionable", Stream: in.Stream,
			RecoveryHint: hint, Message: "the owner was asked for " + in.Kind,
		})
	}
	_ = c.event("run.interaction_completed", in.Stream, map[string]any{"request_id": clip(in.RequestID, maxGapText), "status": resp.Status})
	c.asking.Store(false)
	reply(answer)
}
