package site

// Follows is what has a script ask for a piece of a page again: an event of that name, or
// where the host tells none, that much time; "" for never.
func (v *Visit) Follows(event, every string) string {
	switch {
	case v.Events:
		return "sse:" + event
	case every == "":
		return "sse:none" // which never comes
	}
	return "every " + every
}
