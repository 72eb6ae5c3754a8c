package plugin

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// BR-08: a module's pages reach what is below a suffix of one owner's, and below no public one,
// whoever manages that.
func TestCheckHosts(t *testing.T) {
	t.Parallel()
	of := func(h abi.BrowserHost) *abi.Manifest {
		m := &abi.Manifest{}
		m.Requirements.Browser = &abi.BrowserRequirements{Hosts: []abi.BrowserHost{{Host: "www.example.org"}, h}}
		return m
	}
	for _, public := range []string{"co.uk", "com", "github.io", "cloudfront.net", "kawasaki.jp", "anything.ck"} {
		wantCode(t, CheckHosts(of(abi.BrowserHost{Suffix: public})), abi.CodeManifestInvalid, public)
	}
	for _, h := range []abi.BrowserHost{{Suffix: "cdn.example.org"}, {Suffix: "example.co.uk"}, {Suffix: "ana.github.io"}, {Suffix: "shop.internal"}, {Host: "github.io"}} {
		if err := CheckHosts(of(h)); err != nil {
			t.Errorf("%+v: got %v, want it accepted", h, err)
		}
	}
	if err := CheckHosts(&abi.Manifest{}); err != nil {
		t.Errorf("no browser: got %v, want nothing to refuse", err)
	}
}
