package abi

// The codes of a browser that cannot be used.
const (
	CodeBrowserMissing      Code = "browser.missing"             // no program, or one that cannot be used
	CodeBrowserTooOld       Code = "browser.too_old"             // below BrowserOldest
	CodeBrowserSandbox      Code = "browser.sandbox_unavailable" // the system gives the browser's sandbox nothing to work with
	CodeBrowserStart        Code = "browser.start_failed"        // it ended, or said nothing, before it could be used
	CodeBrowserProfileBusy  Code = "browser.profile_busy"        // another run, or another browser, holds the profile
	CodeBrowserSlots        Code = "browser.slots_busy"          // as many browsers run as the machine has room for
	CodeBrowserProfile      Code = "browser.profile_refused"     // the profile's name or folder
	CodeBrowserProfileLarge Code = "browser.profile_large"       // its sites have left too much there
	CodeBrowserGate         Code = "browser.gate_open"           // its requests do not pass the gate
	CodeBrowserClosed       Code = "browser.closed"              // it is gone
	CodeBrowserTimeout      Code = "browser.timeout"             // it did not answer in time
	CodeBrowserDisplay      Code = "browser.display_missing"     // there is no screen to show its window on
	CodeBrowserCapture      Code = "browser.capture_unknown"     // no page was captured under that name, or it is too old
	CodeBrowserRefused      Code = "browser.host_refused"        // a host, a port or a scheme that may not be reached
)

// CodeBrowserRuntime is why a run that needs a browser has none: there is no program, or it may
// not be used as it is. Its cause says which.
const CodeBrowserRuntime Code = "binding.browser_runtime_not_configured"

// The codes of operations on its pages.
//
//nolint:gosec // G101 takes the word credential for one
const (
	CodeBrowserRequest       Code = "browser.request_invalid"    // fields that the operation does not take
	CodeBrowserUnknown       Code = "browser.op_unknown"         //
	CodeBrowserPageUnknown   Code = "browser.page_unknown"       // no page has the number, or it is closed
	CodeBrowserPageCrashed   Code = "browser.page_crashed"       //
	CodeBrowserPageHung      Code = "browser.page_hung"          // it answered nothing for too long, and was closed
	CodeBrowserUnstable      Code = "browser.unstable"           // pages crashed too often: the run has no browser any more
	CodeBrowserMemory        Code = "browser.memory"             // its pages took too much memory again: the run has no browser any more
	CodeBrowserNotLoaded     Code = "browser.not_loaded"         // a navigation that came to no page
	CodeBrowserNotFound      Code = "browser.not_found"          // no element matches
	CodeBrowserAmbiguous     Code = "browser.ambiguous"          // several match, and none was chosen
	CodeBrowserNotClickable  Code = "browser.not_clickable"      // hidden, disabled, or covered by another
	CodeBrowserScript        Code = "browser.script_error"       // the connector's function threw
	CodeBrowserTooLarge      Code = "browser.result_too_large"   //
	CodeBrowserTooMany       Code = "browser.too_many"           // pages, or requests in flight
	CodeBrowserDownload      Code = "browser.download_refused"   // not declared, not armed, or there is none of that name
	CodeBrowserDownloadLarge Code = "browser.download_too_large" //
	CodeBrowserPicture       Code = "browser.screenshot_refused" // not declared
	CodeBrowserSignIn        Code = "browser.sign_in_open"       // not while the owner's secrets are typed
	CodeBrowserHandedOver    Code = "browser.handed_over"        // the page is its owner's, until what they were asked for is done
	CodeBrowserStalled       Code = "browser.sign_in_stalled"    // signing in made no progress: the run is ended
	CodeBrowserCredential    Code = "browser.credential_refused" // not there: another host, another field, or none is stored
)

// BrowserRetryable reports whether the same operation may do better later.
func BrowserRetryable(c Code) bool {
	switch c {
	case CodeBrowserStart, CodeBrowserProfileBusy, CodeBrowserSlots, CodeBrowserPageCrashed, CodeBrowserPageHung, CodeBrowserUnstable, CodeBrowserMemory, CodeBrowserTimeout, CodeBrowserNotLoaded:
		return true
	}
	return false
}

// Limits of a browser.
const (
	BrowserOldest   = 120       // the oldest major version of Chromium that is driven
	BrowserMessage  = 64 << 20  // bytes of one message of its protocol
	BrowserMemory   = 1 << 30   // bytes of all its processes, when nothing is configured
	BrowserSockets  = 8         // WebSockets at once
	BrowserSocketIO = 64 << 20  // bytes of all WebSockets of a run, there and back
	BrowserLarge    = 100 << 20 // bytes of a profile without its caches, from which on its owner is told
	BrowserRefusals = 64        // names of refused hosts that are kept
)

// Limits of its operations.
const (
	BrowserRequestBytes = 256 << 10
	BrowserInFlight     = 16
	BrowserPages        = 4
	BrowserValue        = 4 << 10   // bytes that fill types
	BrowserTexts        = 1000      // values of text and attr
	BrowserTextsBytes   = 1 << 20   // all of them
	BrowserContent      = 16 << 20  // bytes of HTML
	BrowserSource       = 64 << 10  // bytes of a function
	BrowserResult       = 4 << 20   // bytes of its result
	BrowserFetches      = 50        // requests of one fetch
	BrowserFetchBytes   = 8 << 20   // one body
	BrowserFetchesBytes = 32 << 20  // all of them
	BrowserPicture      = 8 << 20   // bytes of a screenshot
	BrowserPixels       = 8_000_000 // of one
	BrowserPrefixes     = 8         // of addresses that are captured
	BrowserCaptured     = 64        // answers that wait; older ones are dropped
	BrowserCapturedAll  = 32 << 20  // bytes of them
	BrowserDownloads    = 32        // of one run
	BrowserDownload     = 64 << 20  // bytes of one
	BrowserDownloadAll  = 256 << 20 // bytes of all
	BrowserCheckpoints  = 200       // of one run
	BrowserRepeats      = 20        // of one checkpoint, in a row
	BrowserCapture      = 2 << 20   // bytes of what is captured of a page
	BrowserCaptures     = 20        // of one run
	BrowserSelectors    = 16        // of one probe, and conditions of one wait
	BrowserDeadlineMS   = 30_000    // of an operation that names none
	BrowserMostMS       = 300_000   // of any
)

// The operations of a browser, as do names them.
const (
	BrowserOpen         = "open"
	BrowserClose        = "close"
	BrowserList         = "pages"
	BrowserGoto         = "goto"
	BrowserBack         = "back"
	BrowserReload       = "reload"
	BrowserWait         = "wait"
	BrowserProbe        = "probe"
	BrowserText         = "text"
	BrowserAttr         = "attr"
	BrowserHTML         = "content"
	BrowserClick        = "click"
	BrowserFill         = "fill"
	BrowserPress        = "press"
	BrowserSelect       = "select"
	BrowserEval         = "eval"
	BrowserFetch        = "fetch"
	BrowserDownloadArm  = "download.arm"
	BrowserDownloadNext = "download.next"
	BrowserDownloadRead = "download.read"
	BrowserCaptureStart = "capture.start"
	BrowserCaptureNext  = "capture.next"
	BrowserCaptureStop  = "capture.stop"
	BrowserScreenshot   = "screenshot"
	BrowserSession      = "session"
	BrowserCheckpoint   = "checkpoint"
	BrowserSignInBegin  = "sign_in.begin"
	BrowserSignInEnd    = "sign_in.end"
)

// How far a navigation is waited for.
const (
	UntilCommit = "commit" // the new document is there
	UntilDOM    = "dom"    // it is read
	UntilLoad   = "load"   // and what belongs to it; when none is named
	UntilQuiet  = "quiet"  // and for half a second nothing more was asked for
)

// States of an element that wait waits for.
const (
	StateAttached = "attached"
	StateVisible  = "visible"
	StateHidden   = "hidden" // or not there
)

// The outcomes of a click that it can wait for.
const (
	ExpectNavigation = "navigation"
	ExpectPopup      = "popup"
	ExpectDownload   = "download"
)

// The formats of a screenshot.
const (
	FormatPNG  = "png" // when none is named
	FormatJPEG = "jpeg"
)

// The kinds of requests whose answers are captured.
const (
	CaptureXHR      = "xhr"
	CaptureFetch    = "fetch"
	CaptureDocument = "document"
)

// BrowserRequest is a request of the browser operation: which members a Do takes is said in
// abi/ABI.md.
type BrowserRequest struct {
	Do         string             `json:"do"`
	Page       int                `json:"page,omitempty"` // 0: 1
	URL        string             `json:"url,omitempty"`
	Until      string             `json:"until,omitempty"`
	Any        []BrowserCondition `json:"any,omitempty"`
	Selector   string             `json:"selector,omitempty"`
	Selectors  []string           `json:"selectors,omitempty"`
	Nth        *int               `json:"nth,omitempty"` // from 0
	Name       string             `json:"name,omitempty"`
	All        bool               `json:"all,omitempty"`
	Expect     string             `json:"expect,omitempty"`
	Value      *string            `json:"value,omitempty"`
	Credential string             `json:"credential,omitempty"`
	Keep       bool               `json:"keep,omitempty"` // fill: behind what stands there
	Key        string             `json:"key,omitempty"`
	Values     []string           `json:"values,omitempty"`
	Fn         string             `json:"fn,omitempty"`
	Args       Raw                `json:"args,omitempty"`
	Requests   []BrowserAsk       `json:"requests,omitempty"`
	ID         string             `json:"id,omitempty"`
	Offset     int64              `json:"offset,omitempty"`
	Length     int64              `json:"length,omitempty"`
	Names      []string           `json:"names,omitempty"`
	Prefixes   []string           `json:"url_prefixes,omitempty"`
	Types      []string           `json:"types,omitempty"`
	Format     string             `json:"format,omitempty"`
	Label      string             `json:"label,omitempty"`
	OK         bool               `json:"ok,omitempty"` // sign_in.end: the site has let the owner in
	TimeoutMS  int64              `json:"timeout_ms,omitempty"`
}

// BrowserCondition is what wait waits for: a state of an element, a text in one, or an address.
type BrowserCondition struct {
	Selector  string `json:"selector,omitempty"`
	State     string `json:"state,omitempty"`
	Text      string `json:"text,omitempty"`
	URLPrefix string `json:"url_prefix,omitempty"`
}

// BrowserAsk is one request of fetch.
type BrowserAsk struct {
	Method  string            `json:"method,omitempty"` // default GET
	URL     string            `json:"url"`              // absolute
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
}

// BrowserAnswer is the head of an answer, of which an operation has its own members.
type BrowserAnswer struct {
	Page    int               `json:"page,omitempty"`
	URL     string            `json:"url,omitempty"`
	Title   string            `json:"title,omitempty"`
	Status  int               `json:"status,omitempty"` // of the document, where it came over the network
	Pages   []BrowserPage     `json:"pages,omitempty"`
	Index   *int              `json:"index,omitempty"` // of the condition that held
	Found   []BrowserFound    `json:"found,omitempty"`
	N       *int              `json:"n,omitempty"`
	Bytes   *int64            `json:"bytes,omitempty"`
	Results []BrowserResultOf `json:"results,omitempty"`
	ID      string            `json:"id,omitempty"`
	Name    string            `json:"name,omitempty"`
	SHA256  string            `json:"sha256,omitempty"`
	Cookies []BrowserCookie   `json:"cookies,omitempty"`
	State   string            `json:"state,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Dropped *int64            `json:"dropped,omitempty"` // captured answers so far
	Width   int               `json:"width,omitempty"`   // pixels
	Height  int               `json:"height,omitempty"`
	Error   *BrowserFailure   `json:"error,omitempty"`
}

// BrowserPage is one page.
type BrowserPage struct {
	Page   int    `json:"page"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Opener int    `json:"opener,omitempty"`
}

// BrowserFound is what probe finds of a selector, of the first that matches.
type BrowserFound struct {
	Count   int  `json:"count"`
	Visible bool `json:"visible"`
	Enabled bool `json:"enabled"`
}

// BrowserResultOf is what became of one request of fetch. Its body is Length bytes from Offset
// of the answer's.
type BrowserResultOf struct {
	Status  int               `json:"status,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Offset  int64             `json:"offset"`
	Length  int64             `json:"length"`
	Error   *BrowserFailure   `json:"error,omitempty"`
}

// BrowserCookie says whether a cookie is there, and never its value.
type BrowserCookie struct {
	Name    string `json:"name"`
	Host    string `json:"host,omitempty"`
	Present bool   `json:"present"`
	Expires string `json:"expires,omitempty"` // RFC 3339; "": with the session
}

// BrowserFailure says why an operation failed, as HTTPFailure does.
type BrowserFailure struct {
	Code      Code   `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	Retryable bool   `json:"retryable,omitempty"`
	GapReason Reason `json:"gap_reason,omitempty"`
	Stop      Reason `json:"stop,omitempty"`
	Final     bool   `json:"final,omitempty"`
}

// The roles of hosts.
const (
	RoleProvider = "provider" // where the data is: governed like every request of the run
	RoleAsset    = "asset"    // pictures and scripts of the site: only read, and counted
	RoleSignIn   = "sign_in"  // reachable only while the owner is signed in
)

// The checkpoints at which a connector begins to look whether a site knows the owner, and at which
// it does. Between them a watchdog waits for progress; sign_in.begin and sign_in.end have both.
const (
	CheckpointEstablish   = "session-establish:begin"
	CheckpointEstablished = "session-established"
)

// SessionKeep and SessionDrop say what becomes of cookies that end with the browser.
const (
	SessionKeep = "keep" // when nothing is said
	SessionDrop = "drop"
)

// Whether a browser has a window.
const (
	BrowserAny              = "any"               // it needs none; when nothing is said
	BrowserHeadfulPreferred = "headful_preferred" // where there is a screen
	BrowserHeadfulRequired  = "headful_required"  // its site lets nobody else in
)

// BrowserRequirements say what a connector needs of a browser.
type BrowserRequirements struct {
	StartURL  string        `json:"start_url"` // https, on a host of role provider
	Mode      string        `json:"mode"`
	Downloads bool          `json:"downloads"`
	Pictures  bool          `json:"screenshots"`
	HTTP      bool          `json:"http_session"`    // requests of http to hosts of role provider carry its cookies
	BypassCSP bool          `json:"bypass_csp"`      // its functions ask hosts that the page's own policy does not name
	Session   string        `json:"session_cookies"` // SessionDrop: cookies that end with the browser are not kept
	Hosts     []BrowserHost `json:"hosts"`
}

// BrowserHost is a host that pages may reach, and why. Suffix stands for every name below it.
type BrowserHost struct {
	Host   string `json:"host"`
	Suffix string `json:"suffix"`
	Role   string `json:"role"`
	Reason string `json:"reason"`
}
