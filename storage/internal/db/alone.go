package db

import "context"

// First returns a context with which every transaction of Alone runs fn before its own
// function, in the same transaction.
func First(ctx context.Context, fn func(*Tx) error) context.Context {
	return context.WithValue(ctx, firstKey{}, fn)
}

// RunFirst runs what ctx carries (First) in a transaction of another context.
func RunFirst(ctx context.Context, t *Tx) error {
	if first, ok := ctx.Value(firstKey{}).(func(*Tx) error); ok {
		return first(t)
	}
	return nil
}

// Alone runs what ctx carries (First), then fn, in a write transaction of its own, and
// waits until both are durable. When ctx ends before it began, nothing is written; once it has begun
// it is waited for, so that the caller always knows. what names the operation in an error.
func (d *DB) Alone(ctx context.Context, what string, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := &Op{Done: make(chan error, 1), Do: func(t *Tx) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := RunFirst(ctx, t); err != nil {
			return err
		}
		return fn(t)
	}}
	if err := d.Push(o); err != nil {
		return err
	}
	return d.Fail(what, <-o.Done)
}

type firstKey struct{}
