package made

import (
	"testing"
)

// EndAll tells of a thing that is made again in each round.
func TestWhatIsLeftIsTold(t *testing.T) {
	t.Parallel()
	rounds := 0
	ended, err := endAll(func() ([]Thing, error) { return []Thing{{Kind: Token, ID: "tok_again"}}, nil }, func(all []Thing) ([]Ended, error) {
		rounds++
		return []Ended{{all[0], ""}}, nil
	})
	if last := ended[len(ended)-1]; err != nil || rounds != mostRounds || last.Code != CodeLeft || last.ID != "tok_again" {
		t.Errorf("got %+v after %d rounds, %v, want the last one told as %s after %d", last, rounds, err, CodeLeft, mostRounds)
	}
}
