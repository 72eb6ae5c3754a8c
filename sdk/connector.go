package sdk

// Connector is the code that an author writes. One value serves one instance of the
// module, so it may keep state between its two methods; Collect is called at most once.
type Connector interface {
	// Manifest returns the connector manifest, a JSON object (embed the file).
	// It is called before anything else and must not depend on anything.
	Manifest() string
	// Collect does one run. Its result becomes DONE: nil is succeeded,
	// ErrStopped anywhere in the chain is cancelled, everything else is failed,
	// with code, message and hint of the *Failure or *abi.Error in the chain.
	Collect(h *Host) error
}

var registered Connector

// Run registers the connector of this module. Call it once, from an init
// function of package main: the host calls the exports only after the init
// functions have run, and never calls main.
func Run(c Connector) {
	if registered != nil {
		panic("sdk: Run was called twice")
	}
	registered = c
}
