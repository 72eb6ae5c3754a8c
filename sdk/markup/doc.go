// Package markup reads HTML and XML token by token: files of any length, such as an export's
// pages or its XML, in bounded memory.
//
// The tokens are those of golang.org/x/net/html and of encoding/xml. Here: one Reader for
// both, the bounds that a hostile file must not exceed (MaxToken, MaxDepth), and errors with
// codes. Not here: a tree of the document, selectors, and anything that fetches.
//
// A module for standard Go grows by 0.22 MB with HTML and by 0.51 MB with XML. Both libraries
// need what TinyGo does not have without a scheduler, so TinyGo refuses this package by name.
//
// In: the bytes of a file, in UTF-8. Out: tokens. A fault of XML costs the tag or the text that it is in, and
// the reading goes on behind it; docs/formats.md has the rules.
package markup
