package owner

import "context"

// Browser is the browser of this machine that connectors would use.
type Browser interface {
	// Find returns the program that would be started, or browser.missing.
	Find() (program string, err error)
	// Prove starts it with a profile that is removed again, and returns what that has shown:
	// that its requests are governed, have one way out, and that its pages are confined.
	Prove(ctx context.Context, program string) (*BrowserProof, error)
}

// BrowserProof is what a start of the browser has shown.
type BrowserProof struct {
	Product     string // as in "Chrome/156.0.8078.79"
	Unsandboxed bool   // the operator allows it
	Shown       bool   // the system shows that its pages are in its sandbox
}
