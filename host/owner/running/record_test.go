package running

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/replay"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// held is run.Secrets with what it was told.
type held struct {
	values map[string]string
	fails  error
	kept   []string
}

func (h *held) Held() map[string]bool {
	return map[string]bool{"token": true, "account": true, "later": false}
}

func (h *held) Value(_ context.Context, field string) (string, bool, error) {
	v, ok := h.values[field]
	return v, ok, h.fails
}

func (*held) BindRun(*storage.RunWriter) {}

func (h *held) Replace(_ context.Context, values map[string]string) error {
	return h.Keep(context.Background(), values)
}

func (h *held) Keep(_ context.Context, values map[string]string) error {
	for field := range values {
		h.kept = append(h.kept, field)
	}
	return nil
}

// A recorder hides a secret before anybody can use it: what is held at the start, what is
// renewed, and what an owner types.
func TestHideSecrets(t *testing.T) {
	t.Parallel()
	public := false
	fields := []abi.CredentialField{{Name: "token"}, {Name: "account", Secret: &public}, {Name: "later"}}
	var hidden []string
	hide := func(values ...string) { hidden = append(hidden, values...) }
	inner := &held{values: map[string]string{"token": "one", "account": "ada", "later": "two"}}
	s, err := hideSecrets(t.Context(), inner, fields, hide)
	if err != nil || !slices.Equal(hidden, []string{"one"}) {
		t.Fatal(hidden, err)
	}
	if v, ok, err := s.Value(t.Context(), "later"); v != "two" || !ok || err != nil {
		t.Error(v, ok, err)
	}
	if err := errors.Join(s.Replace(t.Context(), map[string]string{"token": "three"}), s.Keep(t.Context(), map[string]string{"unknown": "four"})); err != nil {
		t.Error(err)
	}
	if !slices.Equal(hidden, []string{"one", "two", "three", "four"}) || !slices.Equal(inner.kept, []string{"token", "unknown"}) {
		t.Error(hidden, inner.kept)
	}
	inner.fails = errors.New("sealed with another key")
	if _, err := hideSecrets(t.Context(), inner, fields, hide); !errors.Is(err, inner.fails) {
		t.Error(err)
	}
}

// shows is an asker whose owner acts on pages.
type shows struct{ run.Asker }

func (shows) AskOn(context.Context, abi.Interaction, handoff.Surface) (abi.InteractionResponse, error) {
	return abi.InteractionResponse{Status: abi.ResponseSuccess}, nil
}

// A recorded run hands pages over where its owner can be shown them, and nowhere else.
func TestRecordedRunHandsOver(t *testing.T) {
	t.Parallel()
	for want, asker := range map[bool]run.Asker{true: shows{}, false: struct{ run.Asker }{}} {
		d := run.Deps{Asker: asker}
		Record(&replay.Recorder{}, &d)
		on, got := d.Asker.(run.PageAsker)
		if got != want {
			t.Errorf("got %t, want %t of an asker that shows pages", got, want)
		}
		if got {
			if resp, err := on.AskOn(t.Context(), abi.Interaction{}, nil); err != nil || resp.Status != abi.ResponseSuccess {
				t.Errorf("got %+v, %v, want the owner's answer", resp, err)
			}
		}
	}
}
