package read

// MostFields is how many fields of a record may have documents.
const MostFields = 256

// docid numbers the document of a field, so that the newest record has the smallest: FTS5 skips what
// does not match several times as fast forwards as backwards.
func docid(seq int64, field int) int64 { return -(seq*MostFields + int64(field)) }

// seqOf is the seq of a document's record, as SQL has it.
func seqOf(docid string) string { return "-" + docid + " / 256" }

// Entry is what the read state has of one record.
type Entry struct {
	StreamID, Seq int64
	Declaration   string // the stream's, that the entry was made by
	Key           string
	Live          bool // false: a tombstone, of which the fields below say nothing
	Sort          []byte
	Day           int64 // since 1970, UTC
	Docs          []Doc
	Blobs         []BlobRef   // each once
	Links         []int64     // what its references to other records are found by, each once
	Emitted       []byte      // when it was, as it compares
	Fields        []FieldHash // by tag
	Time          []byte      // its own time, as it compares; nil: the stream has none

	EmittedUS int64 // when the change was emitted; a tombstone's as well
}

// NoDay is the day of a record that tells no time.
const NoDay = -1 << 31

// Doc is a field of a record with words in it.
type Doc struct {
	Field  int      // its number, below MostFields
	Scopes []string // words for the stream and for its field, which no text has
	Words  []string
}

type dayKey struct{ stream, day int64 }

// applying is one transaction of Apply.
type applying struct {
	statements

	anew bool             // the stream is made anew: nothing is known of its changes before
	days map[dayKey]int64 // how many records more a day has
}
