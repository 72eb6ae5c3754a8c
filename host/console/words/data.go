package words

import "strconv"

// The pages of data.
const (
	DataTitle      = "Data"
	DataLede       = "Everything that was collected, on this host alone."
	DataNothing    = "Nothing is collected yet. Each connection's streams stand here after its first run."
	SearchData     = "Search everything"
	SearchStream   = "Search this stream"
	SearchButton   = "Search"
	SearchTitle    = "Search"
	SearchHelp     = "Words that stand in one field. \"Two words\" in quotes stand side by side, and word* is a beginning."
	SearchNothing  = "No record has these words."
	SearchNotYet   = "No record that is searched so far has these words."
	SearchesNone   = "This stream's connector names no field to search."
	MoreFound      = "More"
	FoundIn        = "in"
	TotalRecords   = "records"
	TotalStreams   = "streams"
	TotalSpan      = "span"
	SpanNone       = "no dates"
	SpanOne        = "of"
	NotIndexedOf   = "of"
	NotIndexed     = "changes are not indexed yet; the newest come first. Counts, lists, filters and searches follow in a moment."
	ByDay          = "By day"
	DaysAsList     = "The days as a list"
	NoDays         = "No record is of this year."
	LabelDay       = "Day"
	LabelRecords   = "Records"
	LabelStream    = "Stream"
	LabelSpan      = "Span"
	LabelCollected = "Last collected"
	MoreStreams    = "More streams"
	FirstStreams   = "Back to the first"

	ColumnsLegend  = "Columns"
	FilterLegend   = "Filter"
	FilterField    = "Field"
	FilterNone     = "no filter"
	FilterHow      = "Compared"
	FilterValue    = "With"
	SortLabel      = "Order"
	SortNewest     = "last first"
	SortOldest     = "lowest first"
	SortBy         = "by"
	SortByKey      = "by key"
	ShowRecords    = "Show"
	ChooseView     = "Columns, filter and order"
	ColumnKey      = "Key"
	NoRecords      = "No record matches."
	MoreRecords    = "More records"
	FirstRecords   = "Back to the first"
	ExportHeading  = "Export"
	ExportNote     = "All records of the stream. In the CSV, an apostrophe stands before text that a spreadsheet would take for a formula."
	ExportJSONL    = "JSON Lines"
	ExportCSV      = "CSV"
	ExportParquet  = "Parquet"
	Answered       = "Shown differently:"
	TooManyToCount = "too many to count quickly"

	RecordTitle    = "Record"
	RecordDeleted  = "This record is deleted. Nothing of it is kept but its key, and a run that finds it at its source brings it again."
	RecordErasedBy = "You deleted this record. Its key is kept, and single words may stay in the index of searches until `pdpp-host store compact`; no run brings it back."
	EraseRecord    = "Delete this record"
	EraseNote      = "What is kept of it here goes for good, with files that no other record refers to. Its source keeps what it has, and no run brings the record back unless you let it."
	EraseForGood   = "Delete it for good"
	RestoreRecord  = "Let runs bring it again"
	FieldsHeading  = "Fields"
	FieldsCut      = "There are more fields; the download has all."
	AsJSON         = "As JSON"
	JSONCut        = "Cut here; the download has all."
	ValueCut       = "cut here: the download has the whole"
	DownloadRecord = "Download the whole record"
	DownloadBlob   = "Download the file"
	HistoryHeading = "History"
	HistoryWas     = "stored"
	HistoryDeleted = "deleted"
	HistoryAt      = "Emitted at"
	HistoryRun     = "Run"
	HistoryNoRun   = "older than the history of runs"
	HistoryEarlier = "There may have been changes before. The host keeps what a record is, and nothing of what it was."
	EmptyValue     = "empty"
)

// Comparison says in words how a filter compares.
func Comparison(operator string) string {
	switch operator {
	case "gte":
		return "at least"
	case "gt":
		return "above"
	case "lte":
		return "at most"
	case "lt":
		return "below"
	}
	return "equal to"
}

// RecordsOf is what is counted, behind its number.
func RecordsOf(n int64) string {
	if n == 1 {
		return "record"
	}
	return TotalRecords
}

// RecordsOfDays says in words what a map of a year's days shows.
func RecordsOfDays(year int, records string, days int, most, day string) string {
	text := strconv.Itoa(year) + ": "
	if days == 0 {
		return text + "no records"
	}
	text += records + " records on " + strconv.Itoa(days) + " days"
	if days == 1 {
		text = strconv.Itoa(year) + ": " + records + " records on 1 day"
	}
	return text + ", the most on " + day + " (" + most + ")"
}

// MonthsShort and WeekdaysShort stand beside a map of a year's days; a week begins on Monday.
var (
	MonthsShort   = [...]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}
	WeekdaysShort = [...]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}
)
