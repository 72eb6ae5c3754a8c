// Package browser is how a connector uses the browser that the host holds for its run: it opens
// pages, waits for what is to come, reads them, fetches with their cookies, and signs the owner
// in without seeing a secret. The manifest declares the browser binding and the hosts.
//
//	b := browser.Of(h)
//	p, err := b.Open("https://shop.example/orders")
//	...
//	names, err := p.Texts("li.order h2")
//
// One request is made after the other. It works under TinyGo.
package browser
