package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// credentials judges how the connector meets the absence of the credentials that its
// manifest requires: it asks for them where somebody can answer (RT-08.1), and names
// them in DONE where nobody can (RT-08.2). Every other clause is judged as if the host
// had them.
func (s *suite) credentials(ctx context.Context) error {
	if len(s.required()) == 0 {
		for _, id := range []string{"credentials.named", "credentials.asked"} {
			s.report.skip(id, "the manifest requires no credentials")
		}
		return nil
	}
	alone, err := s.without(ctx, nil)
	if err != nil {
		return err
	}
	s.report.judge("credentials.named", alone)
	asked := &owner{}
	if _, err := s.without(ctx, asked); err != nil {
		return err
	}
	switch {
	case len(asked.questions) == 0:
		err = errors.New("nobody was asked")
	case asked.questions[0].Kind != abi.InteractionMissingCredentials:
		err = fmt.Errorf("it asked for %s", asked.questions[0].Kind)
	default:
		err = s.names(asked.questions[0].Message)
	}
	s.report.judge("credentials.asked", err)
	return nil
}

// without makes a run without credentials. verdict is the fault in how it ended when
// nobody could be asked.
func (s *suite) without(ctx context.Context, asker *owner) (verdict, err error) {
	st, err := s.newStore(ctx, s.Engine)
	if err != nil {
		return nil, err
	}
	defer st.close()
	st.deps.Secrets = nil
	if asker != nil {
		st.deps.Asker = asker
	}
	res, err := st.play(ctx, run.Request{})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return err, nil //nolint:nilerr // refused: that is the module's, and no fault of the suite
	case res.Status == run.StatusSucceeded:
		return errors.New("the run succeeded without them"), nil
	case res.Reason != string(abi.ReasonConnectorReportedFailed):
		return succeeded(res), nil
	default:
		return s.names(res.Error.Message), nil
	}
}

// names reports a required credential that a text does not name.
func (s *suite) names(text string) error {
	for _, variables := range s.required() {
		if !slices.ContainsFunc(variables, func(v string) bool { return strings.Contains(text, v) }) {
			return fmt.Errorf("%s is not named in %q", strings.Join(variables, " or "), text)
		}
	}
	return nil
}

// required lists the variables of each credential that the manifest requires and
// that has some: a token that only the host keeps is nothing to be named.
func (s *suite) required() [][]string {
	var out [][]string
	for _, c := range manifest.Credentials(s.manifest) {
		if c.Required && len(c.Env) > 0 {
			out = append(out, c.Env)
		}
	}
	return out
}

// held is the value of a pretended credential.
const held = "held"

// pretended pretends to have every required credential: the host confirms them to the
// guest, and a value goes to the provider. It implements run.Secrets.
type pretended struct{ *suite }

// Held implements run.Secrets. It lists a required variable beside the field that the
// variable fills, as the host does.
func (p pretended) Held() map[string]bool {
	all := map[string]bool{}
	for _, c := range manifest.Credentials(p.manifest) {
		if !c.Required {
			continue
		}
		all[c.Name] = true
		if len(c.Env) == 1 && c.Label == c.Env[0] {
			all[c.Label] = true
		}
	}
	return all
}

// Value implements run.Secrets.
func (p pretended) Value(_ context.Context, field string) (string, bool, error) {
	for _, c := range manifest.Credentials(p.manifest) {
		if c.Name != field && !slices.Contains(c.Env, field) {
			continue
		}
		for _, v := range c.Env {
			if p.Getenv == nil {
				break
			}
			if value := p.Getenv(p.manifest.ConnectorKey, v); value != "" {
				return value, true, nil
			}
		}
		return held, c.Required, nil
	}
	return "", false, nil
}

// BindRun implements run.Secrets.
func (pretended) BindRun(*storage.RunWriter) {}

// Replace implements run.Secrets.
func (pretended) Replace(context.Context, map[string]string) error { return nil }

// Keep implements run.Secrets.
func (pretended) Keep(context.Context, map[string]string) error { return nil }

// owner is an owner who declines whatever is asked, and remembers it.
type owner struct{ questions []abi.Interaction }

// Ask implements run.Asker.
func (o *owner) Ask(_ context.Context, in abi.Interaction) (abi.InteractionResponse, error) {
	o.questions = append(o.questions, in)
	return abi.InteractionResponse{Status: abi.ResponseCancelled}, nil
}
