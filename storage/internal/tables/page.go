package tables

// PageLimit returns how many rows a page has that was asked for with limit; 0 asks for the
// default.
func PageLimit(limit int) int {
	if limit <= 0 {
		return DefaultPage
	}
	return min(limit, MaxPage)
}

const (
	DefaultPage = 100
	MaxPage     = 10000
	EachPage    = 500
)
