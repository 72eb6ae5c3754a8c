//go:build !unix

package pgtest

import (
	"errors"
	"syscall"
)

func plainUser(string) (*syscall.SysProcAttr, error) {
	return nil, errors.New("the tests start PostgreSQL on Unix systems only")
}
