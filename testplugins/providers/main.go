package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := serve(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

// serve listens until ctx ends.
func serve(ctx context.Context, args []string, out, problems io.Writer) error {
	flags := flag.NewFlagSet("providers", flag.ContinueOnError)
	flags.SetOutput(problems)
	flags.Usage = func() {
		fmt.Fprintf(problems, "usage: providers NAME [flags], where NAME is one of %s\n", strings.Join(sample.Names(), ", "))
		flags.PrintDefaults()
	}
	listen := flags.String("listen", "127.0.0.1:0", "`ADDRESS` to listen at")
	seed := flags.Uint64("seed", 1, "the data is the same for the same `N`")
	size := flags.Int("size", 20, "about so many objects of each kind")
	limits := flags.Bool("limits", false, "refuse above the documented limits")
	spoil := flags.String("faults", "", "`KIND=PERCENT,…` of the answers to spoil: "+strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	var name string
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if name == "" || flags.NArg() > 0 || *size < 1 {
		flags.Usage()
		return errors.New("one NAME is needed, and a size above zero")
	}
	rules, err := rulesOf(*spoil)
	if err != nil {
		return err
	}
	service, err := sample.New(name, sample.Options{
		Seed: *seed, Size: *size, Now: time.Now, Limit: *limits,
		Env: fault.Env{Sleep: sleep, Rand: rand.New(rand.NewPCG(*seed, 2))}, //nolint:gosec // which answers fail, and the same for a seed
	})
	if err != nil {
		return err
	}
	service.Faults.Add(rules...)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", *listen)
	if err != nil {
		return err
	}
	printAddress(out, name, listener.Addr().String(), service)
	server := &http.Server{Handler: service.Handler, ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = errors.Join(server.Close(), ignoreClosed(<-ended))
	}
	return err
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// printAddress prints how to reach the simulation, in lines that a shell takes. The simulation
// needs a separate connection, because a connection that has asked the real provider
// stays with it.
func printAddress(out io.Writer, name, address string, s *sample.Service) {
	fmt.Fprintf(out, "# %s, simulated, at http://%s   token: %s\n", name, address, s.Token)
	fmt.Fprintf(out, "export PDPP_NETWORK_ALLOW_PRIVATE=%s\n", address)
	for _, v := range slices.Sorted(maps.Keys(s.Variables)) {
		fmt.Fprintf(out, "export %s=%s\n", v, s.Variables[v])
	}
	fmt.Fprintf(out, "# then: pdpp-host run %s --connection %s-sim --set base_url=http://%s\n", name, name, address)
	fmt.Fprintf(out, "#   or: pdpp-host plugin test plugins/%s.wasm --set base_url=http://%s --require-records\n", name, address)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
