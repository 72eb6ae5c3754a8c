package health

import "strings"

// ownWords begins a provider's own words in a connector's message, as package said of the SDK
// quotes them. The quotation ends the message, or stands before a parenthesis.
const ownWords = `; its own words: "`

// ProviderWords returns the provider's own words that a message ends with, in the form in which an
// owner may be shown them; "" if it quotes none.
func ProviderWords(message string) string {
	_, words, _ := strings.Cut(message, ownWords)
	return Saying(strings.TrimSuffix(words, `"`))
}

// withoutProviderWords returns a message without what it quotes: words that may be different each
// time, since they name a request or a moment.
func withoutProviderWords(message string) string {
	var kept strings.Builder
	for {
		before, rest, quotes := strings.Cut(message, ownWords)
		kept.WriteString(before)
		if !quotes {
			return kept.String()
		}
		end := strings.Index(rest, `")`)
		if end < 0 {
			return kept.String()
		}
		message = rest[end+1:]
	}
}

// SaidMark is Mark of what a run said in a message, whatever words of a provider it quotes.
func SaidMark(message string, rest ...string) string {
	return Mark(append(rest, withoutProviderWords(message))...)
}
