package abi

// The codes of a browser that cannot be used.
const (
	CodeBrowserMissing     Code = "browser.missing"             // no program, or one that cannot be used
	CodeBrowserTooOld      Code = "browser.too_old"             // below BrowserOldest
	CodeBrowserSandbox     Code = "browser.sandbox_unavailable" // the system gives the browser's sandbox nothing to work with
	CodeBrowserStart       Code = "browser.start_failed"        // it ended, or said nothing, before it could be used
	CodeBrowserProfileBusy Code = "browser.profile_busy"        // another run, or another browser, holds the profile
	CodeBrowserProfile     Code = "browser.profile_refused"     // the profile's name or folder
	CodeBrowserGate        Code = "browser.gate_open"           // its requests do not pass the gate
	CodeBrowserClosed      Code = "browser.closed"              // it is gone
	CodeBrowserTimeout     Code = "browser.timeout"             // it did not answer in time
	CodeBrowserRefused     Code = "browser.host_refused"        // a host, a port or a scheme that may not be reached
)

// Limits of a browser.
const (
	BrowserOldest   = 120      // the oldest major version of Chromium that is driven
	BrowserMessage  = 64 << 20 // bytes of one message of its protocol
	BrowserRefusals = 64       // names of refused hosts that are kept
)
