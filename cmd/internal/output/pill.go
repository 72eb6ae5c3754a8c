package output

// Pill writes a verdict's label in the colour and with the symbol of its tone.
// The label alone carries the meaning.
func (s Style) Pill(tone, label string) string {
	switch tone {
	case "green":
		return s.Green(s.Symbol("●") + label)
	case "amber":
		return s.Yellow(s.Symbol("◐") + label)
	case "red":
		return s.Red(s.Symbol("✗") + label)
	}
	return s.Symbol("○") + label
}
