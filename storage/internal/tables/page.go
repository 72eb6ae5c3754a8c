package tables

// PageLimit returns how many rows a page has that was asked for with limit; 0 asks for the
// default.
func PageLimit(limit int) int {
	if limit <= 0 {
		return DefaultPage
	}
	return min(limit, MaxPage)
}

// Numbers of rows: of a page that was asked for without a limit, the most of any page, and
// of those that the store reads for itself.
const (
	DefaultPage = 100
	MaxPage     = 10000
	EachPage    = 500
)
