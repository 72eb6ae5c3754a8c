// Package clip shortens text to a number of bytes without splitting a code point. In: text of
// any length. Out: its beginning.
package clip
