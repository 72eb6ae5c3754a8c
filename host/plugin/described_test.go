package plugin

import (
	"bytes"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A module describes itself at the same moment each time, so that what its owner
// accepts today is what it says a week later; one that would say something else at
// another moment is refused.
func TestDescribedAtOneMoment(t *testing.T) {
	t.Parallel()
	for name, steady := range map[string]bool{"plain": true, "wavering": false} {
		for _, isolation := range []string{IsolationProcess, IsolationInline} {
			t.Run(name+" "+isolation, func(t *testing.T) {
				t.Parallel()
				var said [][]byte
				for range 2 {
					g := mustLoad(t, Options{Isolation: isolation, CacheDir: sharedCache(), Limits: testLimits()}, goGuest(t, name))
					m, err := g.Describe(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					err = g.Steady(t.Context(), m)
					if got := err == nil; got != steady || !got && abi.CodeOf(err) != abi.CodePluginDescribeFailed {
						t.Errorf("described again: %v, want it steady: %t", err, steady)
					}
					said = append(said, m)
				}
				if !bytes.Equal(said[0], said[1]) {
					t.Errorf("it says %s, then %s, want the same", said[0], said[1])
				}
			})
		}
	}
}
