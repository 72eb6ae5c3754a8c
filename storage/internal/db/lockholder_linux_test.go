package db

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestWriterOf(t *testing.T) {
	t.Parallel()
	locks := "1: POSIX  ADVISORY  READ  4711 08:01:1234 123 123\n" +
		"1: -> POSIX  ADVISORY  WRITE 4712 08:01:1234 120 120\n" +
		"2: POSIX  ADVISORY  WRITE " + strconv.Itoa(os.Getpid()) + " 08:01:1234 120 120\n" +
		"3: POSIX  ADVISORY  WRITE 0 08:01:1234 120 120\n" +
		"short\n" +
		"4: POSIX  ADVISORY  WRITE 4713 08:01:1234 120 120\n"
	if got := writerOf(strings.NewReader(locks), "", "08:01:1234"); got != 4713 {
		t.Errorf("the writer is %d, want 4713", got)
	}
	if got := writerOf(strings.NewReader(locks), "", "08:01:9"); got != 0 {
		t.Errorf("the writer of another file is %d, want none", got)
	}
}
