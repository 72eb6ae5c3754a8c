package profile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

const slots = ".slots" // the folder of the slots' locks, which no profile is called

// Slot takes one of n slots for browsers that use profiles in dir, in any process of this
// machine. It is the caller's until the file is closed, also by the process's end. While all
// are taken, Slot waits as long as ctx and wait allow.
func Slot(ctx context.Context, dir string, n int, wait time.Duration) (*os.File, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, abi.NewError(abi.CodeBrowserSlots,
		fmt.Sprintf("%d browsers run already, as many as this machine has room for", n), "try it again when one of their runs has ended, or raise browser.max"))
	defer cancel()
	for {
		for i := range n {
			if f, err := slot(dir, strconv.Itoa(i+1)); f != nil || err != nil {
				return f, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(again):
		}
	}
}

// slot takes the slot of a name; nil: it is taken.
func slot(dir, name string) (taken *os.File, err error) {
	all, err := os.OpenRoot(dir)
	if err != nil {
		return nil, refused(dir, "cannot be opened").Wrap(err)
	}
	defer all.Close()
	locks, err := folder(all, slots)
	if err != nil {
		return nil, refused(dir, "has no place for locks").Wrap(err)
	}
	defer locks.Close()
	f, err := locks.OpenFile(name, os.O_RDWR|os.O_CREATE, lockMode)
	if err != nil {
		return nil, refused(dir, "takes no lock").Wrap(err)
	}
	free, err := TryLock(f)
	if !free || err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
