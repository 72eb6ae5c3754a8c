package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Each provider is served, prints how to reach it, and ends when it is asked to.
func TestServe(t *testing.T) {
	t.Parallel()
	for _, name := range sample.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			out, in := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				ended <- errors.Join(serve(ctx, []string{name, "--size", "3", "--seed", "2"}, in, io.Discard), in.Close())
			}()
			text := bufio.NewScanner(out)
			address, exports, then, after := "", 0, "", ""
			for text.Scan() {
				if value, ok := strings.CutPrefix(text.Text(), "export PDPP_NETWORK_ALLOW_PRIVATE="); ok {
					address = value
				}
				if strings.HasPrefix(text.Text(), "export ") {
					exports++
				}
				if strings.HasPrefix(text.Text(), "# then: ") {
					then = text.Text()
				}
				if after = text.Text(); strings.Contains(after, "plugin test") {
					break
				}
			}
			if address == "" || exports < 2 || !strings.Contains(after, "--set base_url=http://"+address) {
				t.Errorf("address %q, %d exports, %q, want not \"\", at least 2 and %v in it", address, exports, after, "--set base_url=http://"+address)
			}
			if want := "# then: pdpp-host run " + name + " --connection " + name + "-sim --set base_url=http://" + address; then != want {
				t.Errorf("%q, want %q", then, want)
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			resp, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("without a token: %s, want resp.StatusCode = %v", resp.Status, http.StatusUnauthorized)
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWrongUse(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"", "--seed 1", "nobody", "notion more", "notion --size 0", "notion --faults nothing=1", "notion --faults reset", "notion --faults reset=0",
		"notion --faults reset=101", "notion --faults reset=NaN", "notion --listen nowhere:0:0",
	} {
		if err := serve(t.Context(), strings.Fields(args), io.Discard, io.Discard); err == nil || errors.Is(err, flag.ErrHelp) {
			t.Errorf("%q is taken, want an error and err not %v", args, flag.ErrHelp)
		}
	}
	if rules, err := rulesOf("throttle=5,reset=0.5"); err != nil || len(rules) != 2 || rules[1].Chance != 0.005 {
		t.Errorf("%v %v, want len(rules) = 2 and rules[1].Chance = 0.005", rules, err)
	}
}
