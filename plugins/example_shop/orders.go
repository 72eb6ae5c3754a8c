package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/browser"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// collect lists the orders page by page, and reads each.
func collect(h *sdk.Host, p *browser.Page) error {
	list, err := h.Enumerate(orders, "", h.Cursor(orders).Get("begun_by").Str())
	if err != nil {
		return err
	}
	for n := 1; n > 0; {
		got, err := p.Get(home + "api/orders?page=" + strconv.Itoa(n))
		if err != nil {
			return err
		}
		page, err := body(h, &got[0])
		if err != nil {
			return err
		}
		var ids []string
		for it := page.Get("orders").Children(); it.Next(); {
			ids = append(ids, it.Value().Str())
		}
		if err := read(h, p, ids); err != nil {
			return err
		}
		n = int(page.Get("next").Int())
	}
	if err := list.Whole(); err != nil {
		return err
	}
	return h.State(orders, []byte("{}"))
}

// read reads orders, all of them at a time.
func read(h *sdk.Host, p *browser.Page, ids []string) error {
	urls := make([]string, len(ids))
	for i, id := range ids {
		urls[i] = home + "api/orders/" + id
	}
	for len(urls) > 0 {
		n := min(len(urls), abi.BrowserFetches)
		got, err := p.Get(urls[:n]...)
		if err != nil {
			return err
		}
		for i := range got {
			order, err := body(h, &got[i])
			if err == nil {
				err = emit(h, p, order)
			}
			if err != nil {
				return err
			}
		}
		urls = urls[n:]
	}
	return nil
}

func emit(h *sdk.Host, p *browser.Page, order jsonvalue.Value) error {
	r := h.Record(orders)
	for _, name := range []string{"id", "placed_at", "total", "items"} {
		r.Copy(name, order.Get(name))
	}
	if order.Get("invoice").Bool() {
		d, err := invoice(p, order.Get("id").Str())
		if err != nil {
			return err
		}
		r.String("invoice_name", d.Name)
		r.String("invoice_sha256", d.SHA256)
	}
	return r.Emit()
}

// invoice downloads the invoice of an order from the order's page.
func invoice(p *browser.Page, id string) (*browser.Download, error) {
	if err := p.Goto(home + "orders/" + id); err != nil {
		return nil, err
	}
	return p.Download("#invoice")
}

// body returns what was fetched, when its status is well.
func body(h *sdk.Host, f *browser.Fetched) (jsonvalue.Value, error) {
	if f.Err != nil {
		return jsonvalue.Value{}, f.Err
	}
	if err := h.CheckStatus(f.Response); err != nil {
		return jsonvalue.Value{}, err
	}
	return f.JSON()
}
