package call

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// A guest may have its own account at a host of its manifest. A request that carried
// the guest's credential and the owner's secret would put the secret into that
// account, from which the guest can read it on any machine. A request with a slot's
// secret therefore carries no other credential, and a secret that is content rather
// than a credential, in a query or a body, is only sent with requests that write
// nothing.

// checkConflicts returns why a request may not carry the slot's secret; nil if it may.
func (s *Session) checkConflicts(slot *slot, method string, h http.Header, u *url.URL) error {
	switch {
	case !slot.goesTo(originOf(u)):
		return abi.NewError(CodeCredentialElsewhere, "the credential slot "+quoted(slot.Name)+" is not for "+quoted(u.Hostname()),
			"ask without the credential, or add the host to the slot's hosts")
	case slot.occupied(h, u):
		return conflict("the request has " + quoted(slot.Key))
	}
	for name := range h {
		switch {
		case name == "Range" || name == "If-Range":
			return abi.NewError(egress.CodeHeaderReserved, "the header "+name+" may not be set beside a credential slot: a secret that is repeated in parts is not recognized",
				"ask for the whole, or without the slot")
		case credentialHeader(name) || s.slotHeader(name):
			return conflictingCredential("header", name)
		}
	}
	if key := credentialKey(u.RawQuery, slot); key != "" {
		return conflictingCredential("parameter", key)
	}
	if slot.In == abi.SlotHeader || s.accepted(slot.Name) {
		return nil
	}
	// A secret that is content is only sent in the form of a read.
	if method != http.MethodGet && method != http.MethodHead && !s.tokenEndpoint(u) {
		return slot.notAccepted(method+" request", "ask with GET")
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if !readingHeader(name) {
			return slot.notAccepted("request with the header "+quoted(name), "leave the header out")
		}
	}
	if name := slot.foreignParameter(u.RawQuery); name != "" {
		return slot.notAccepted("request with the parameter "+quoted(name), "leave the parameter out")
	}
	return nil
}

// notAccepted refuses a request that requires a slot accepted by name.
func (s *slot) notAccepted(request, instead string) error {
	return abi.NewError(CodeCredentialNotAccepted, "the credential slot "+quoted(s.Name)+" writes the secret into the "+s.In+" of a "+request+
		", which the owner has not accepted", instead+", or let the owner accept it with: pdpp-host plugins accept NAME --allow slot="+s.Name)
}

func conflictingCredential(what, name string) error {
	return abi.NewError(CodeCredentialConflict, "the "+what+" "+quoted(name)+" may carry another credential beside that of the slot",
		"leave it out, or ask without the slot")
}

// accepted reports whether the owner accepted the slot by its name.
func (s *Session) accepted(slot string) bool {
	return s.options.Accepted != nil && s.options.Accepted(slot)
}

// slotHeader reports whether a slot of the manifest writes the header.
func (s *Session) slotHeader(name string) bool {
	for _, slot := range s.slots {
		if slot.In == abi.SlotHeader && http.CanonicalHeaderKey(slot.Key) == name {
			return true
		}
	}
	return false
}

// tokenEndpoint reports whether u is the address at which a slot's access token is
// renewed.
func (s *Session) tokenEndpoint(u *url.URL) bool {
	for _, slot := range s.slots {
		if t := slot.token; t != nil && originOf(t) == originOf(u) && t.EscapedPath() == u.EscapedPath() {
			return true
		}
	}
	return false
}

// The names that services give to the places of credentials: RFC 6750 and RFC 5849,
// the security schemes of OpenAPI documents, and the signed requests of AWS and
// Google. A header has one of the first list in its name, or ends in key. A parameter
// has one of the second list in its name, or equals one of the third: parameters such
// as page_token are not credentials.
var (
	headerWords = []string{
		"auth", "token", "secret", "passw", "credential", "cookie", "session", "signature", "bearer", "jwt", "apikey", "login",
	}
	parameterWords = []string{
		"accesstoken", "accesskey", "apikey", "apitoken", "appkey", "authkey", "authtoken", "authorization", "bearer", "credential", "idtoken", "jwt",
		"oauth", "passw", "privatetoken", "refreshtoken", "secret", "securitytoken", "sessionid", "sessionkey", "sessiontoken", "signature",
		"subscriptionkey", "userkey", "usertoken",
	}
	parameters = []string{"apisig", "auth", "key", "login", "pass", "pwd", "session", "sid", "sig", "sk", "token"}
)

func credentialHeader(name string) bool {
	plain := normalizedName(name)
	return strings.HasSuffix(plain, "key") && plain != "idempotencykey" && plain != "xidempotencykey" || containsAny(plain, headerWords)
}

// readingHeaders are the headers that APIs need for reading: the wanted form, version
// and freshness, and the request's name in a log. Every other header is refused beside
// a secret that is content, because a service may treat any name as a credential or
// another method.
var readingHeaders = []string{
	"Accept", "Cache-Control", "Consistencylevel", "Content-Language", "Content-Type", "Idempotency-Key", "Pragma", "Prefer", "Request-Id", "Time-Zone",
	"User-Agent", "X-Correlation-Id", "X-Idempotency-Key", "X-Request-Id", "X-Requested-With",
}

func readingHeader(name string) bool {
	return slices.Contains(readingHeaders, name) || strings.HasPrefix(name, "Accept-") || strings.HasPrefix(name, "If-") || strings.HasSuffix(name, "-Version")
}

// credentialKey returns the first parameter of a query that may carry a credential
// other than the slot's own; "" if there is none. A value that this host redacted does
// not count.
func credentialKey(query string, own *slot) string {
	for p := range parametersOf(query) {
		if p.value == redacted || own.In == abi.SlotQuery && sameName(p.name, own.Key) {
			continue
		}
		if plain := normalizedName(p.name); slices.Contains(parameters, plain) || containsAny(plain, parameterWords) {
			return p.name
		}
	}
	return ""
}

// Parameters that no query may have beside a secret that is content, in addition to
// those that credentialKey finds. Some of these names mean a credential only here: p
// is a page, but a password beside a user. Others turn a GET into another request.
var (
	contentParameters = []string{"otp", "pat", "pin", "pw", "ticket"}
	userParameters    = []string{"u", "user", "username"}
	besideUser        = []string{"p", "t"} // in the Subsonic API
	methodParameters  = []string{"_method", "$method"}
)

// foreignParameter returns the first parameter of a query that excludes the secret of a slot
// that is not accepted by name; "" if there is none.
func (s *slot) foreignParameter(query string) string {
	if s.In == abi.SlotHeader {
		return ""
	}
	user, password := false, ""
	for p := range parametersOf(query) {
		plain := normalizedName(p.name)
		switch {
		case s.In == abi.SlotQuery && sameName(p.name, s.Key):
		case slices.Contains(contentParameters, plain), strings.Contains(plain, "sessid"),
			slices.Contains(methodParameters, strings.ToLower(p.name)), strings.Contains(plain, "httpmethod"), strings.Contains(plain, "methodoverride"):
			return p.name
		case slices.Contains(userParameters, plain):
			user = true
		case slices.Contains(besideUser, plain):
			password = p.name
		}
	}
	if user {
		return password
	}
	return ""
}

// normalizedName normalises a name: its letters and digits, in lower case.
func normalizedName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, name)
}

func containsAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}
