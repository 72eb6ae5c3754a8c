package storage

func pageLimit(limit int) int {
	if limit <= 0 {
		return defaultPage
	}
	return min(limit, maxPage)
}

const (
	defaultPage = 100
	maxPage     = 10000
	eachPage    = 500
)
