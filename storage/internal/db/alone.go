package db

import "context"

// Also returns a context with which every transaction of Alone runs fn after its own
// function, in the same transaction.
func Also(ctx context.Context, fn func(*Tx) error) context.Context {
	return context.WithValue(ctx, alsoKey{}, fn)
}

// Alone runs fn in a write transaction of its own, then what ctx carries (Also), and
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
		if err := fn(t); err != nil {
			return err
		}
		if also, ok := ctx.Value(alsoKey{}).(func(*Tx) error); ok {
			return also(t)
		}
		return nil
	}}
	if err := d.Push(o); err != nil {
		return err
	}
	return d.Fail(what, <-o.Done)
}

type alsoKey struct{}
