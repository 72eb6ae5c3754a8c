package profile

import "log/slog"

// Redacted shows in the place of a credential.
const Redacted = "[redacted]"

// Token is a device's credential. However it is printed, logged or encoded, it
// shows as redacted: only the client and the profile's file see its text, and the
// client takes it out of what a host says (Invariant 5).
type Token struct{ text string }

// NewToken keeps a credential.
func NewToken(text string) Token { return Token{text: text} }

// Reveal returns the credential's text, for the request that carries it and the file that
// keeps it.
func (t Token) Reveal() string { return t.text }

// Empty reports whether there is none.
func (t Token) Empty() bool { return t.text == "" }

// String never shows the token.
func (Token) String() string { return Redacted }

// GoString never shows the token.
func (Token) GoString() string { return Redacted }

// LogValue never shows the token.
func (Token) LogValue() slog.Value { return slog.StringValue(Redacted) }

// MarshalText never shows the token.
func (Token) MarshalText() ([]byte, error) { return []byte(Redacted), nil }
