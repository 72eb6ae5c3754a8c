package browser

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// canaries listen on this machine, over TCP and UDP, for what goes around the wall.
type canaries struct {
	tcp      int // ports
	udp      int
	got      atomic.Int64
	last     atomic.Value
	watching sync.WaitGroup
}

func listen(t *testing.T) *canaries {
	t.Helper()
	c := &canaries{}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c.tcp, c.udp = tcp.Addr().(*net.TCPAddr).Port, udp.LocalAddr().(*net.UDPAddr).Port
	c.watching.Go(func() {
		for {
			conn, err := tcp.Accept()
			if err != nil {
				return
			}
			c.got.Add(1)
			c.last.Store("TCP from " + conn.RemoteAddr().String())
			_ = conn.Close()
		}
	})
	c.watching.Go(func() {
		b := make([]byte, 100)
		for {
			_, from, err := udp.ReadFrom(b)
			if err != nil {
				return
			}
			c.got.Add(1)
			c.last.Store("UDP from " + from.String())
		}
	})
	t.Cleanup(func() {
		_, _ = tcp.Close(), udp.Close()
		c.watching.Wait()
	})
	return c
}

// fill puts the canaries' ports into a script.
func (c *canaries) fill(script string) string {
	return strings.NewReplacer(":TCP", fmt.Sprint(":", c.tcp), ":UDP", fmt.Sprint(":", c.udp)).Replace(script)
}

// fromAnywhere are the ways out that pages and workers have. Each ends, well or not.
const fromAnywhere = `
const settled = p => Promise.race([Promise.resolve(p).then(() => "ended", e => "failed: " + e), new Promise(r => setTimeout(r, 15000, "waits"))]);
const socket = u => new Promise(r => { const w = new WebSocket(u); w.onopen = w.onerror = w.onclose = r; });
const anywhere = from => [
	fetch("https://fetch-" + from + ".example/"),
	fetch("https://127.0.0.1:TCP/"), fetch("https://localhost:TCP/"), fetch("http://127.0.0.1:TCP/", {mode: "no-cors"}), fetch("http://localhost:TCP/", {mode: "no-cors"}),
	fetch("https://169.254.169.254/"), fetch("http://169.254.169.254/latest/meta-data/", {mode: "no-cors"}),
	socket("wss://wss-" + from + ".example/"), socket("wss://127.0.0.1:TCP/"),
	(async () => socket("ws://127.0.0.1:TCP/"))(),
	(async () => { const t = new WebTransport("https://127.0.0.1:UDP/"); await t.ready })(),
	(async () => new Promise(r => { const s = new EventSource("https://events-" + from + ".example/"); s.onerror = r }))(),
].map(settled);
`

// fromPages are those that pages alone have.
const fromPages = fromAnywhere + `
const tag = (name, attributes) => { const e = Object.assign(document.createElement(name), attributes); document.head.append(e); return e };
const loads = e => new Promise(r => { e.onload = e.onerror = r });
const work = (w, port) => new Promise(r => { port.onmessage = r; w.onerror = r });
const rtc = async () => {
	const c = new RTCPeerConnection({iceServers: [{urls: ["stun:127.0.0.1:UDP", "stun:stun.example:3478"]},
		{urls: ["turn:127.0.0.1:UDP?transport=udp", "turn:127.0.0.1:TCP?transport=tcp", "turns:turns.example:443?transport=tcp"], username: "u", credential: "c"}]});
	c.createDataChannel("x");
	const ended = new Promise(r => { c.onicegatheringstatechange = () => c.iceGatheringState == "complete" && r() });
	await c.setLocalDescription(await c.createOffer());
	await ended;
	const n = c.localDescription.sdp.split("a=candidate").length - 1;
	c.close();
	if (n > 0) throw Error(n + " candidates");
};
const pages = async () => {
	await navigator.serviceWorker.register("/sw.js");
	const sw = (await navigator.serviceWorker.ready).active;
	navigator.sendBeacon("https://beacon.example/", "x");
	tag("link", {rel: "dns-prefetch", href: "https://dns.example/"});
	tag("link", {rel: "preconnect", href: "https://preconnect.example/"});
	tag("link", {rel: "preconnect", href: "https://127.0.0.1:TCP/"});
	tag("link", {rel: "prefetch", href: "https://prefetch.example/"});
	open("https://popup.example/");
	open("file:///etc/hostname");
	const frame = document.createElement("iframe");
	frame.src = "https://frame.example/";
	document.body.append(frame);
	const own = new Worker("/worker.js"), shared = new SharedWorker("/shared.js");
	const answered = new Promise(r => { navigator.serviceWorker.onmessage = r });
	sw.postMessage("go");
	return Promise.all([...anywhere("page"), settled(loads(Object.assign(new Image(), {src: "https://image.example/"}))), settled(loads(frame)),
		settled(work(own, own)), settled(work(shared, shared.port)), settled(answered), settled(rtc())]);
};
pages().then(all => all.join(" "))`

// T6, Invariant 10: of all ways out that a page, its workers and a service worker have, none goes around the
// wall, over TCP or UDP, to this machine or another; and each foreign name comes to the wall and
// is refused (BR-08.2).
func TestNothingGoesAroundTheWall(t *testing.T) {
	t.Parallel()
	c := listen(t)
	shop := newSite(t, map[string]string{
		"/":          "<title>shop</title><body>",
		"/worker.js": c.fill(fromAnywhere) + `Promise.all(anywhere("worker")).then(() => postMessage("done"))`,
		"/shared.js": c.fill(fromAnywhere) + `onconnect = e => Promise.all(anywhere("shared")).then(() => e.ports[0].postMessage("done"))`,
		"/sw.js":     c.fill(fromAnywhere) + `onmessage = e => e.waitUntil(Promise.all(anywhere("service")).then(() => e.source.postMessage("done")))`,
	})
	r := request(t)
	r.Dialer = shop.known()
	b := acquire(t, r)
	b.trust(t)
	said := b.open(t, "https://shop.example/").eval(t, c.fill(fromPages))
	if text, _ := said.(string); !strings.HasSuffix(text, " ended") {
		t.Errorf("the ways of the page ended in %.2000v, want WebRTC without candidates last", said)
	}
	names, others := b.Refused()
	t.Logf("refused: %v and %d others", names, others)
	for _, from := range []string{"page", "worker", "shared", "service"} {
		for _, way := range []string{"fetch", "wss"} {
			if name := way + "-" + from + ".example"; names[name] == 0 {
				t.Errorf("%s did not come to the wall, want it refused there", name)
			}
		}
	}
	for _, name := range []string{"127.0.0.1", "localhost", "169.254.169.254", "events-page.example", "beacon.example", "image.example", "frame.example", "popup.example"} {
		if names[name] == 0 {
			t.Errorf("%s did not come to the wall, want it refused there", name)
		}
	}
	if err := b.Close(); err != nil {
		t.Errorf("closing: got %v, want nil", err)
	}
	if n := c.got.Load(); n != 0 {
		t.Errorf("%d connections or packets went around the wall, the last one %v, want none", n, c.last.Load())
	}
	if n := len(shop.requests()); n < 4 {
		t.Errorf("the site was asked %d times, want its page and its scripts", n)
	}
}
