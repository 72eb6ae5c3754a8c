package run

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

type answers func(context.Context, abi.Interaction) (abi.InteractionResponse, error)

func (f answers) Ask(ctx context.Context, in abi.Interaction) (abi.InteractionResponse, error) {
	return f(ctx, in)
}

// declaring returns the module with a credential in its manifest: SCRIPTED_TOKEN.
func declaring(t *testing.T, f *plugin.File) *plugin.File {
	t.Helper()
	const was = `"refresh_policy": {"recommended_mode": "manual", "rationale": "A test guest runs when a test runs it."}`
	const is = `"auth": {"kind": "env", "required": ["SCRIPTED_TOKEN"]}`
	module := bytes.Replace(f.Bytes, []byte(was), []byte(is+strings.Repeat(" ", len(was)-len(is))), 1)
	if bytes.Equal(module, f.Bytes) {
		t.Fatal("got a module without the policy to replace, want it")
	}
	return plugin.FromBytes(f.Name, module)
}

// A connector may ask only for credentials that its manifest declares: no answer for
// another one is kept, and the owner might type a secret of another service.
func TestOnlyDeclaredCredentialsAreAskedFor(t *testing.T) {
	t.Parallel()
	const schema = `,"schema":{"type":"object","properties":{"%s":{"type":"string"}}}}`
	asking := func(name string) string {
		return strings.TrimSuffix(ask(abi.InteractionCredentials), "}") + strings.Replace(schema, "%s", name, 1)
	}
	for _, tc := range []struct {
		name, script string
		declares, ok bool
	}{
		{"none is declared", ask(abi.InteractionCredentials), false, false},
		{"the declared one", asking("scripted_token"), true, true},
		{"by its variable", asking("SCRIPTED_TOKEN"), true, true},
		{"another", asking("sudo_password"), true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Bool
			h := newHost(t, setup{asker: answers(func(context.Context, abi.Interaction) (abi.InteractionResponse, error) {
				asked.Store(true)
				return abi.InteractionResponse{Status: abi.ResponseSuccess}, nil
			})})
			if tc.declares {
				h.file = declaring(t, h.file)
			}
			res, err := h.play(tc.script + done(0))
			if asked.Load() != tc.ok {
				t.Errorf("the owner was asked: %t, want %t", asked.Load(), tc.ok)
			}
			if !tc.ok {
				expectFailure(t, res, err, abi.ReasonProtocolViolation, abi.CodeInteractionInvalid)
			} else if err != nil || res.Status != StatusSucceeded {
				t.Errorf("%+v, %v, want it to succeed", res, err)
			}
		})
	}
}

func ask(kind string) string {
	return "submit 3 " + `{"type":"INTERACTION","request_id":"q1","kind":"` + kind + `","message":"GITHUB_TOKEN is needed"}`
}

// RT-08.1: the owner is asked, with a message that names the missing credential, and
// the run waits for the answer. Invariant 5: afterwards the typed value is neither in
// the guest nor in a log nor in the store.
func TestMissingCredentialsAreAskedFor(t *testing.T) {
	t.Parallel()
	const canary = "hunter2-canary-7781"
	var asked abi.Interaction
	var logged bytes.Buffer
	var mu sync.Mutex
	h := newHost(t, setup{asker: answers(func(_ context.Context, in abi.Interaction) (abi.InteractionResponse, error) {
		mu.Lock()
		defer mu.Unlock()
		asked = in
		return abi.InteractionResponse{Status: abi.ResponseSuccess, Data: map[string]string{"token": canary}}, nil
	})})
	h.file = declaring(t, h.file)
	h.deps.Logger = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h.runner = New(h.deps)
	res := h.mustPlay(ask(abi.InteractionMissingCredentials) + "\nexpect \"status\":\"success\"\nstate " +
		`{"type":"STATE","stream":"notes","cursor":{"x":1}}` + done(0))
	if res.Status != StatusSucceeded || res.Interactions != 1 {
		t.Fatalf("got %s after %d interactions, want succeeded after 1", res.Status, res.Interactions)
	}
	if asked.Kind != abi.InteractionMissingCredentials || !strings.Contains(asked.Message, "GITHUB_TOKEN") {
		t.Fatalf("got question %+v, want one for missing credentials that names GITHUB_TOKEN", asked)
	}
	// The guest itself looks for the value: "expect" would trap on its absence.
	if res := h.mustPlay(ask(abi.InteractionMissingCredentials) + "\nexpect " + canary + done(0)); res.Status == StatusSucceeded {
		t.Fatal("got the credential in the guest, want it kept from the guest")
	}
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(h.dir, "*"))
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte(canary)) {
			t.Fatalf("got the credential in %s, want it nowhere", f)
		}
	}
	if strings.Contains(logged.String(), canary) {
		t.Fatal("got the credential in the log, want it nowhere")
	}
}

// typed are secrets that keep what an owner typed, unless they refuse.
type typed struct {
	Secrets // nil: nothing else of it is called

	kept    map[string]string
	refused error
}

func (s *typed) Keep(_ context.Context, values map[string]string) error {
	s.kept = values
	return s.refused
}

// RT-08.1: what an owner typed is kept, however many values it is; an answer that was declined has
// nothing to keep, and one whose values cannot be kept is no answer.
func TestTypedSecretsAreKept(t *testing.T) {
	t.Parallel()
	one, two := map[string]string{"token": "a"}, map[string]string{"username": "a", "password": "b"}
	for _, c := range []struct {
		name    string
		resp    abi.InteractionResponse
		refused error
		kept    map[string]string
		want    string
	}{
		{"one value", abi.InteractionResponse{Status: abi.ResponseSuccess, Data: one}, nil, one, abi.ResponseSuccess},
		{"two values", abi.InteractionResponse{Status: abi.ResponseSuccess, Data: two}, nil, two, abi.ResponseSuccess},
		{"no value", abi.InteractionResponse{Status: abi.ResponseSuccess}, errTest, nil, abi.ResponseSuccess},
		{"declined", abi.InteractionResponse{Status: abi.ResponseCancelled, Data: one}, errTest, nil, abi.ResponseCancelled},
		{"no room", abi.InteractionResponse{Status: abi.ResponseSuccess, Data: one}, errTest, one, abi.ResponseCancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &typed{refused: c.refused}
			q := &questions{journal: &journal{ctx: t.Context()}, secrets: s, logger: slog.New(slog.DiscardHandler)}
			q.keepSecrets(&c.resp)
			if !maps.Equal(s.kept, c.kept) || c.resp.Status != c.want {
				t.Errorf("got %v kept and the answer %s, want %v and %s", s.kept, c.resp.Status, c.kept, c.want)
			}
		})
	}
}

// RT-08.2: when nobody can be asked, a question is a violation, and an honest
// connector's DONE failed names the missing credential; nothing hangs.
func TestMissingCredentialsWithNobodyToAsk(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	res, err := h.play(ask(abi.InteractionMissingCredentials) + done(0))
	expectFailure(t, res, err, abi.ReasonProtocolViolation, abi.CodeBindingNotGranted)
	res = h.mustPlay("done " + `{"type":"DONE","status":"failed","records_emitted":0,"error":{"code":"x_missing_credentials","message":"GITHUB_TOKEN is not set","retryable":false,"recovery_hint":"refresh_credentials"}}`)
	if res.Status != StatusFailed || !strings.Contains(res.Error.Message, "GITHUB_TOKEN") || !res.OwnerNeeded {
		t.Fatalf("got %+v, %+v; want a failure that names GITHUB_TOKEN and needs the owner", res, res.Error)
	}
}

func TestOneInteractionAtATime(t *testing.T) {
	t.Parallel()
	silent := answers(func(ctx context.Context, _ abi.Interaction) (abi.InteractionResponse, error) {
		<-ctx.Done()
		return abi.InteractionResponse{Status: abi.ResponseCancelled}, nil
	})
	pending := strings.Replace(ask(abi.InteractionOTP), "submit", "pending", 1)
	for name, next := range map[string]string{"a second INTERACTION": ask(abi.InteractionOTP), "a record": "records notes 0 1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{isolation: "process", asker: silent})
			res, err := h.play(pending + "\n" + next + "\nreturn 0")
			expectFailure(t, res, err, abi.ReasonProtocolViolation, abi.CodeInteractionPending)
		})
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		resp   abi.InteractionResponse
		err    error
		status string
		reason abi.Reason
	}{
		{"timeout", abi.InteractionResponse{Status: abi.ResponseTimeout}, nil, StatusSucceeded, ""},
		{"cancelled", abi.InteractionResponse{Status: abi.ResponseCancelled}, nil, StatusSucceeded, ""},
		{"unusable", abi.InteractionResponse{}, errTest, StatusFailed, abi.ReasonInteractionInvalid},
		{"no such status", abi.InteractionResponse{Status: "maybe"}, nil, StatusFailed, abi.ReasonInteractionInvalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{isolation: "process", asker: answers(func(context.Context, abi.Interaction) (abi.InteractionResponse, error) {
				return tc.resp, tc.err
			})})
			script := ask(abi.InteractionOTP) + "\nsubmit 6\nexpect unix_ms" + done(0)
			if tc.status == StatusFailed {
				script = ask(abi.InteractionOTP) + "\nsleep 20000"
			}
			res := h.mustPlay(script)
			if res.Status != tc.status || res.Reason != string(tc.reason) {
				t.Fatalf("got %s %s %+v, want %s %s", res.Status, res.Reason, res.Error, tc.status, tc.reason)
			}
			if tc.status == StatusSucceeded && (len(res.KnownGaps) != 1 || res.KnownGaps[0].Reason != "interaction_"+tc.resp.Status) {
				t.Fatalf("got known gaps %+v, want one of interaction_%s", res.KnownGaps, tc.resp.Status)
			}
		})
	}
}

// A run that failed behind a question that nobody answered is not tried again at once, whatever its
// connector says: each attempt would ask an owner who is not there. One behind an answer is.
func TestNobodyIsAskedAgainAtOnce(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]bool{abi.ResponseTimeout: false, abi.ResponseCancelled: false, abi.ResponseSuccess: true} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{isolation: "process", asker: answers(func(context.Context, abi.Interaction) (abi.InteractionResponse, error) {
				return abi.InteractionResponse{Status: status}, nil
			})})
			res := h.mustPlay("submit 3 {\"type\":\"INTERACTION\",\"request_id\":\"q1\",\"kind\":\"manual_action\",\"message\":\"hold it\"}\nexpect " + status +
				"\ndone {\"type\":\"DONE\",\"status\":\"failed\",\"records_emitted\":0,\"error\":{\"code\":\"x\",\"message\":\"m\",\"retryable\":true}}")
			if res.Status != StatusFailed || res.Error.Retryable != want {
				t.Errorf("got %s %+v, want retryable %v", res.Status, res.Error, want)
			}
		})
	}
}
