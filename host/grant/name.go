package grant

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// hostWord is the word by which this host is known: the name of its program and the title of its pages begin
// with it.
const hostWord = "pdpp"

// ProtocolClient is the one name with the host's word that an app may have: the known program of the
// protocol registers itself so.
const ProtocolClient = "PDPP CLI"

// PlainName reports whether a client may call itself so: "", or a name that can be seen, without
// characters that cannot and without marks that stand on any letter.
func PlainName(name string) bool {
	const longest = 80
	return strings.TrimSpace(name) == name && plain(name, longest) && (name == "" || manifest.IsVisible(name)) && !strings.ContainsFunc(name, unseen) && !marked(name)
}

// unseen reports whether a character has no shape, or changes only that of another.
func unseen(r rune) bool {
	return r == '\u2800' || r == '\U0001d159' || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// marked reports whether a text has a mark that its letters do not need: one that stands on letters of
// any script, since a letter that is written with it has a character of its own, one around a
// letter, and one of another script than the letter's. The scripts of India and others need theirs.
func marked(text string) bool {
	var under *unicode.RangeTable // the script of the last letter
	for _, r := range text {
		if !unicode.Is(unicode.M, r) {
			under = scriptOf(r)
			continue
		}
		if unicode.In(r, unicode.Me, unicode.Inherited) || under == nil || !unicode.Is(under, r) {
			return true
		}
	}
	return false
}

// scriptOf is the script of a letter; nil: it has none of its own.
func scriptOf(r rune) *unicode.RangeTable {
	if !unicode.IsLetter(r) {
		return nil
	}
	for name, script := range unicode.Scripts {
		if name != "Common" && name != "Inherited" && unicode.Is(script, r) {
			return script
		}
	}
	return nil
}

// alike are the characters that look like a letter of the host's word, in lower case and beside those that
// normalization makes of them.
var alike = map[string]string{
	"d": "đðɖɗƌԁժᴅᴆꭰᗞᗪꓒꓓᑯꮷꝺᵭᶁᶑȡ₫∂",
	"p": "рρϱϸᴘᴩᵽꮲᑭꓑⲣ⍴ƥþꝑꝓꝕƿᵱᶈ𐊕℗₱₽\U0001f18a",
}

// framed are the first of 26 characters from A to Z each that normalization leaves as they are: in a dark circle,
// in a dark square, and those that flags are written with.
var framed = []rune{'\U0001f150', '\U0001f170', '\U0001f1e6'}

// NamesHost reports whether a name has this host's own in it, also in letters that only look like
// it: an app of such a name would pass for a part of the host.
func NamesHost(name string) bool {
	if name == ProtocolClient {
		return false
	}
	return strings.Contains(skeleton(name), hostWord)
}

// skeleton is a text without what tells likenesses of the host's word apart: marks, blanks, signs, and
// the case, width and script of letters.
func skeleton(text string) string {
	text = strings.Map(func(r rune) rune {
		for _, first := range framed {
			if first <= r && r < first+26 {
				r = 'a' + r - first
			}
		}
		for is, like := range alike {
			if strings.ContainsRune(like, unicode.ToLower(r)) {
				return rune(is[0])
			}
		}
		if !unicode.In(r, unicode.L, unicode.N) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
	return strings.ReplaceAll(text, "cl", "d")
}
