package storage

import (
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// rounds is how often a hundred race for the token of one grant.
var rounds = flag.Int("rounds", 3, "how often a hundred race for the token of a grant that is read once")

// exerciseOneIssue: of a hundred that ask at once for the token of a grant that is read once,
// one gets it (RD-35.2).
func exerciseOneIssue(t *testing.T, x *exercise) {
	ctx := t.Context()
	const racers = 100
	for round := range *rounds {
		id := fmt.Sprint("r", round)
		x.clock.forward(10 * time.Minute) // the former ones are decided
		x.asked(id, func(n *GrantRequest) { n.Flow = FlowCode })
		x.ok(x.s.KeepReview(ctx, id, "", "r1", []byte("{}")))
		a := x.approval(id, nil)
		a.Grant.Document, a.Code, a.CodeExpires = []byte(`{"access_mode":"single_use"}`), "code of "+id, x.clock.Now().Add(time.Minute)
		_, err := x.s.ApproveGrant(ctx, a)
		x.ok(err)
		var wg sync.WaitGroup
		var won atomic.Int32
		begin := make(chan struct{})
		for n := range racers {
			wg.Go(func() {
				<-begin
				name := fmt.Sprint(id, " ", n)
				err := x.s.Redeem(ctx, Redemption{RequestID: id, Token: &GrantToken{ID: "gtk " + name, SHA256: "token " + name, Expires: x.clock.Now().Add(time.Hour)}})
				switch {
				case err == nil:
					won.Add(1)
				case abi.CodeOf(err) != CodeReplayed:
					t.Errorf("round %d: got %v, want %s", round, err, CodeReplayed)
				}
			})
		}
		close(begin)
		wg.Wait()
		var kept int
		x.ok(x.s.db.Read.QueryRowContext(ctx, "SELECT count(*) FROM grant_tokens WHERE grant_id = ?", a.Grant.ID).Scan(&kept))
		if won.Load() != 1 || kept != 1 {
			t.Fatalf("round %d: %d of %d got a token and %d are kept, want 1 and 1", round, won.Load(), racers, kept)
		}
	}
}
