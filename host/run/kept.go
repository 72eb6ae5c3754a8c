package run

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
)

// maxKept bounds what one guest makes the host keep in memory until its run
// ends: the keys of gaps and of coverage, and staged cursors. A million keys of
// ordinary length fit several times over.
const maxKept = 256 << 20

// maxQueued is how many bytes of cursors may wait for the writer: they are up to
// 8 MiB each, and the queue counts operations.
const maxQueued = 16 << 20

// pace waits for the writer when the cursors queued since it last did are many.
func (c *collection) pace(bytes int) error {
	if c.queued += bytes; c.queued < maxQueued {
		return nil
	}
	c.queued = 0
	return c.stored(c.writer.Flush(context.WithoutCancel(c.ctx)))
}

// keep counts bytes that stay until the run ends; a negative number gives some
// back.
func (c *collection) keep(bytes int) error {
	if c.kept += int64(bytes); c.kept > maxKept {
		return abi.NewError(abi.CodeTooManyMessages,
			fmt.Sprintf("gaps, coverage and cursors of more than %d MiB", maxKept>>20),
			"use shorter keys and cursors, or collect less in one run")
	}
	return nil
}
