package main

import (
	"bytes"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// PB-D2, RT-25.2, RT-26.1: the governor finds the limits of providers that it
// knows nothing about, of twenty shapes and more, without being locked out.
func TestFiguresAreReached(t *testing.T) {
	t.Parallel()
	if len(steady)+len(halved)+len(warm) < 20 {
		t.Error("fewer than twenty shapes")
	}
	for seed := range uint64(3) {
		var table bytes.Buffer
		missed, err := report(t.Context(), &table, seed)
		if err != nil || missed > 0 {
			t.Errorf("seed %d: %d missed, %v\n%s", seed, missed, err, table.String())
		}
	}
}

// The simulation says the same twice, or its table would mean nothing.
func TestSeedDecides(t *testing.T) {
	t.Parallel()
	var one, two bytes.Buffer
	if _, err := report(t.Context(), &one, 9); err != nil {
		t.Fatal(err)
	}
	if _, err := report(t.Context(), &two, 9); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Errorf("%s\n%s", one.String(), two.String())
	}
}
