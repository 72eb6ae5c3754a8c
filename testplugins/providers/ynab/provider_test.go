package ynab_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/ynab"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func get(t *testing.T, p http.Handler, path, token string) (int, map[string]any) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.ynab.com"+path, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	var body struct {
		Data  map[string]any `json:"data"`
		Error map[string]any `json:"error"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if w.Code != http.StatusOK {
		return w.Code, body.Error
	}
	return w.Code, body.Data
}

func rows(t *testing.T, p http.Handler, path, member string) (string, any) {
	t.Helper()
	_, data := get(t, p, path, "t")
	list, _ := data[member].([]any)
	text := ""
	for _, v := range list {
		o, _ := v.(map[string]any)
		text += fmt.Sprint(o["id"], o["month"], " ", o["deleted"], ";")
	}
	return text, data["server_knowledge"]
}

func TestDeltas(t *testing.T) {
	t.Parallel()
	b := ynab.NewBudget("b", "B")
	b.Put(ynab.Payees, ynab.Object{"id": "1"})
	b.Put(ynab.Payees, ynab.Object{"id": "2"})
	p := ynab.New(ynab.Options{Token: "t", Now: func() time.Time { return start }}, b)
	if got, k := rows(t, p, "/v1/budgets/b/payees", "payees"); got != "1<nil> false;2<nil> false;" || k != 3.0 {
		t.Errorf("payees %s at knowledge %v, want 1 and 2 at 3", got, k)
	}
	if got, _ := rows(t, p, "/v1/budgets/b/payees?last_knowledge_of_server=3", "payees"); got != "" {
		t.Errorf("%v, want \"\"", got)
	}
	p.Edit(func(budgets []*ynab.Budget) []*ynab.Budget {
		budgets[0].Delete(ynab.Payees, "1")
		budgets[0].Put(ynab.Payees, ynab.Object{"id": "3"})
		return budgets
	})
	if got, k := rows(t, p, "/v1/budgets/b/payees?last_knowledge_of_server=3", "payees"); got != "1<nil> true;3<nil> false;" || k != 5.0 {
		t.Errorf("payees %s at knowledge %v, want 1 deleted and 3 at 5", got, k)
	}
	if got, _ := rows(t, p, "/v1/budgets/b/payees", "payees"); got != "2<nil> false;3<nil> false;" {
		t.Errorf("%v, want 2<nil> false;3<nil> false;", got)
	}
}

func TestGroupsAndMonths(t *testing.T) {
	t.Parallel()
	b := ynab.NewBudget("b", "B")
	b.Put(ynab.Groups, ynab.Object{"id": "g"})
	b.Put(ynab.Categories, ynab.Object{"id": "c", "category_group_id": "g"})
	b.Put(ynab.Months, ynab.Object{"month": "2026-01-01", "categories": []ynab.Object{{"id": "c"}}})
	p := ynab.New(ynab.Options{Now: func() time.Time { return start }}, b)
	if got, _ := rows(t, p, "/v1/budgets/b/categories?last_knowledge_of_server=2", "category_groups"); got != "g<nil> false;" {
		t.Errorf("the group of a changed category: %s, want g<nil> false;", got)
	}
	if got, _ := rows(t, p, "/v1/budgets/b/months", "months"); got != "<nil>2026-01-01 false;" {
		t.Errorf("%v, want <nil>2026-01-01 false;", got)
	}
	_, data := get(t, p, "/v1/budgets/b/months/2026-01-01", "")
	month, _ := data["month"].(map[string]any)
	if list, _ := month["categories"].([]any); len(list) != 1 {
		t.Errorf("%v, want len(list) = 1", data)
	}
	for _, path := range []string{"/v1/budgets/x/payees", "/v1/budgets/b/months/2025-01-01", "/v1/user", "/v1/budgets/b", "/v1/budgets/b/category_groups"} {
		if status, _ := get(t, p, path, ""); status != http.StatusNotFound {
			t.Errorf("%s: %d, want %d", path, status, http.StatusNotFound)
		}
	}
}

func TestLimitAndToken(t *testing.T) {
	t.Parallel()
	now := start
	p := ynab.New(ynab.Options{Token: "t", Enforce: true, Now: func() time.Time { return now }})
	for range ynab.Limit {
		if status, _ := get(t, p, "/v1/budgets", "t"); status != http.StatusOK {
			t.Fatalf("%v, want %v", status, http.StatusOK)
		}
		now = now.Add(time.Second)
	}
	if status, e := get(t, p, "/v1/budgets", "t"); status != http.StatusTooManyRequests || e["name"] != "too_many_requests" {
		t.Errorf("status %d, %v, want 429 too_many_requests", status, e)
	}
	now = start.Add(ynab.Per) // the first one leaves the window
	if status, _ := get(t, p, "/v1/budgets", "t"); status != http.StatusOK {
		t.Errorf("%v, want %v", status, http.StatusOK)
	}
	if status, _ := get(t, p, "/v1/budgets", "t"); status != http.StatusTooManyRequests {
		t.Errorf("%v, want %v", status, http.StatusTooManyRequests)
	}
	now = start.Add(3 * ynab.Per)
	if status, e := get(t, p, "/v1/budgets", "x"); status != http.StatusUnauthorized || e["id"] != "401" {
		t.Errorf("status %d, %v, want 401", status, e)
	}
	p.ExpireToken(0)
	if status, _ := get(t, p, "/v1/budgets", "t"); status != http.StatusUnauthorized {
		t.Errorf("%v, want %v", status, http.StatusUnauthorized)
	}
	if len(p.Requests()) != ynab.Limit+5 {
		t.Errorf("%v, want %v", len(p.Requests()), ynab.Limit+5)
	}
}
