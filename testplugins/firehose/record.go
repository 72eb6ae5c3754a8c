package firehose

// width is how many digits an index takes in a record: every record has the
// same length.
const width = 8

const template = `{"id":"rec-00000000","account":"acc-7f3a","kind":"message","title":"Quarterly planning notes, part 00000000",` +
	`"body":"The river was high that spring and the ferry ran late; we waited on the east bank with the mail and the bread, and talked of nothing in particular until the bell.",` +
	`"author":"ana.lima@example.org","created_at":"2026-03-14T09:26:53Z","updated_at":"2026-03-15T11:00:00.250Z",` +
	`"size":4096,"score":0.8125,"archived":false,"parent":null}`

const (
	idAt    = len(`{"id":"rec-`)
	titleAt = len(`{"id":"rec-00000000","account":"acc-7f3a","kind":"message","title":"Quarterly planning notes, part `)
)

// Record returns the key and the JSON of record i. Both are fresh.
func Record(i int) (key, data []byte) {
	data = []byte(template)
	put(data[idAt:], i)
	put(data[titleAt:], i)
	return data[idAt-4 : idAt+width : idAt+width], data
}

// Changed is Record with the title that a round gives it.
func Changed(i, round int) (key, data []byte) {
	key, data = Record(i)
	put(data[titleAt:], 90_000_000+round)
	return key, data
}

func put(dst []byte, i int) {
	for at := width - 1; at >= 0; at-- {
		dst[at] = byte('0' + i%10)
		i /= 10
	}
}
