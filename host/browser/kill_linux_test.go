package browser

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The environment of a host that a test kills.
const (
	hostIn    = "PDPP_TEST_HOST_IN" // its folder of profiles
	pointAt   = "PDPP_TEST_HOST_POINT"
	programIs = "PDPP_TEST_HOST_PROGRAM"
)

// points are where a host can be killed.
var points = []string{"gate not proven", "first page", "hung page", "sign-in window", "hand-off", "download", "session kept", "closing"}

// steps are the requests that lead to a point, behind the first page.
var steps = map[string][]string{
	"hung page": {`{"do":"eval","fn":"() => { setTimeout(() => { for (;;); }) }"}`},
	"sign-in window": {
		`{"do":"sign_in.begin","url":"https://shop.example/"}`, `{"page":2,"do":"fill","selector":"input","credential":"password"}`,
	},
	"download": {`{"do":"download.arm"}`, `{"do":"click","selector":"a"}`},
}

// hold is a host: it comes to its point, says which process its browser is, and waits.
func hold() int {
	b, err := come(context.Background(), os.Getenv(pointAt))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(b.process.PID)
	select {}
}

// come brings a browser to a point.
func come(ctx context.Context, point string) (*Browser, error) {
	sending := make(chan struct{})
	shop := serve(map[string]string{"/": `<title>shop</title><input type=password><a href="/file" download>file</a><script>document.cookie = "sid=1; secure"</script>`})
	shop.other = func(w http.ResponseWriter, _ *http.Request) bool { // a file without an end
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(make([]byte, 1<<20))
		_ = http.NewResponseController(w).Flush()
		close(sending)
		select {}
	}
	r := Request{
		Program: os.Getenv(programIs), Profiles: os.Getenv(hostIn), Profile: "shop", Random: rand.Reader, Admitter: everything{}, Dialer: shop.known(),
		Trust: []string{shop.key()}, Sealer: plainly{},
	}
	if point == points[0] {
		b, err := start(ctx, r)
		if err == nil {
			err = b.gate.Shut(ctx)
		}
		return b, err
	}
	b := Bind(r, &abi.BrowserRequirements{StartURL: "https://shop.example/", Downloads: true, Hosts: []abi.BrowserHost{{Host: "shop.example", Role: abi.RoleProvider}}}, &freely{},
		func(context.Context, string) (string, bool, bool, error) { return password, false, true, nil })
	for _, step := range append([]string{`{"do":"open","url":"https://shop.example/"}`}, steps[point]...) {
		answers := make(chan []byte, 1)
		if err := b.Do([]byte(step), func(a []byte) { answers <- a }); err != nil {
			return nil, err
		}
		if a := <-answers; bytes.HasPrefix(a, []byte(`{"error"`)) {
			return nil, errors.New(step + ": " + string(a))
		}
	}
	switch point {
	case "hand-off":
		_, err := b.HandOver(ctx, &abi.Handoff{Page: 1, Reason: abi.HandoffLogin})
		return b.browser, err
	case "download":
		<-sending
	case "session kept":
		return b.browser, b.keep()
	case "closing":
		go func() { _ = b.Close() }()
	}
	return b.browser, nil
}
