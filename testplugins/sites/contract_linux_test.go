package sites

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/contract"
)

// The contract suite judges a connector that uses a browser by one, over its simulated site: it
// resumes, with nobody to ask, and ends when its browser is gone. Without a browser it judges none
// of its runs, and says so.
func TestContract(t *testing.T) {
	t.Parallel()
	w := shopOf(t, &Shop{})
	o := contract.Options{
		File: w.file, Engine: w.engine, Dir: t.TempDir(), Sender: w,
		Getenv: func(_, variable string) string {
			return map[string]string{"EXAMPLE_SHOP_USERNAME": "ana", "EXAMPLE_SHOP_PASSWORD": password}[variable]
		},
	}
	r, err := contract.Check(t.Context(), o)
	if c := r.Clause("manifest.bindings"); err != nil || c.Outcome != contract.Skip || len(r.Failed()) > 0 || r.Clause("collect.done").Outcome != contract.Skip {
		t.Errorf("without a browser: got %v, %+v, want no run judged, and that said", err, c)
	}
	o.Browser, o.Dir = (*machine)(w), t.TempDir()
	if r, err = contract.Check(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Failed() {
		t.Errorf("%s fails: %s", c.ID, c.Detail)
	}
	for _, id := range []string{"collect.done", "resume.accepts", "refresh.repeats"} {
		if c := r.Clause(id); c.Outcome != contract.Pass {
			t.Errorf("%s: got %s, %s, want it judged, and kept", id, c.Outcome, c.Detail)
		}
	}
}
