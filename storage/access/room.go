package access

import (
	"cmp"
	"net/netip"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// FromOwner stands for the address of what the owner asks for or registers, and is no address. Where nobody said from
// where something came, as in a store of before step 0133, it is a stranger's: all of it has one place, "".
const FromOwner = "owner"

// kept is what strangers have a store keep: a request that waits, or a client.
type kept struct {
	ID     string `bun:"id"`
	Client string `bun:"client_id"`
	From   string `bun:"came_from"`
	Stays  bool   `bun:"stays"` // it never gives way
}

// place is where something came from, by which client.
type place struct{ from, client string }

// network is the large network in which an address is: of many addresses with one thing each, those that somebody took
// from one network go first.
func network(from string) string {
	p, err := netip.ParsePrefix(from)
	if err != nil {
		return from
	}
	bits := 16
	if p.Addr().Is6() {
		bits = 32
	}
	return netip.PrefixFrom(p.Addr(), bits).Masked().String()
}

// giveWay returns what gives way to the next one that comes from a place, of all in the order in which they came: the
// oldest of whoever has most, which is an address, then a client at it, then a large network. So nobody is pushed out by one who has more.
// The owner's clients go last. "": nothing can, or the next one has more than any that can.
func giveWay(all []kept, next place) (id string) {
	of, at, in := map[string]int{next.from: 1}, map[place]int{next: 1}, map[string]int{network(next.from): 1}
	networks := make(map[string]string, len(all))
	for i := range all {
		from := all[i].From
		of[from]++
		at[place{from, all[i].Client}]++
		if networks[from] == "" {
			networks[from] = network(from)
		}
		in[networks[from]]++
	}
	later := func(a, b kept) bool { // a goes later than b
		if owners := a.From == FromOwner; owners != (b.From == FromOwner) {
			return owners
		}
		return cmp.Or(
			cmp.Compare(of[a.From], of[b.From]),
			cmp.Compare(at[place{a.From, a.Client}], at[place{b.From, b.Client}]),
			cmp.Compare(in[networks[a.From]], in[networks[b.From]]),
		) < 0
	}
	var goes kept
	for _, k := range all {
		if !k.Stays && (goes.ID == "" || later(goes, k)) {
			goes = k
		}
	}
	if of[goes.From] < of[next.from] && next.from != FromOwner {
		return ""
	}
	return goes.ID
}

// makeRoom forgets as many requests that wait as give way to the next one. A request that the owner made or looked at
// stays.
func makeRoom(t *db.Tx, n *GrantRequest, byOne, inAll int) error {
	var all []kept
	err := t.DB.NewSelect().Model((*requestRow)(nil)).Column("id", "client_id", "came_from").ColumnExpr("came_from = ? OR revision <> '' OR typed_us <> 0 AS stays", FromOwner).
		Where("state = ? AND expires_us > ?", RequestPending, db.Micros(t.Now)).Order("created_us", "id").Scan(t.Ctx, &all)
	if err != nil {
		return err
	}
	for _, bound := range []struct {
		most  int
		holds func(*kept) bool
	}{
		{byOne, func(k *kept) bool { return k.From == n.From && n.From != FromOwner }},
		{inAll, func(*kept) bool { return true }},
	} {
		for {
			var within []kept
			for i := range all {
				if bound.holds(&all[i]) {
					within = append(within, all[i])
				}
			}
			if len(within) < bound.most {
				break
			}
			goes := giveWay(within, place{n.From, n.ClientID})
			if goes == "" {
				return abi.NewError(CodeRequestsFull, "too many requests wait for the owner", "come again in ten minutes")
			}
			if err := forget(t, (*requestRow)(nil), goes); err != nil {
				return err
			}
			all = without(all, goes)
		}
	}
	return nil
}

// clientsGiveWay forgets n clients that ask for nothing and hold nothing, for one more of an address.
func clientsGiveWay(t *db.Tx, n int64, from string) error {
	var all []kept
	err := t.DB.NewSelect().Model((*clientRow)(nil)).Column("id", "came_from").Where(idle).Order("created_us", "id").Scan(t.Ctx, &all)
	if err != nil {
		return err
	}
	for ; n > 0; n-- {
		goes := giveWay(all, place{from: from})
		if goes == "" {
			return abi.NewError(CodeClientsFull, "this host keeps no more clients", "register again in a few days")
		}
		if err := forget(t, (*clientRow)(nil), goes); err != nil {
			return err
		}
		all = without(all, goes)
	}
	return nil
}

func forget(t *db.Tx, model any, ids ...string) error {
	_, err := t.DB.NewDelete().Model(model).Where("id IN (?)", bun.List(ids)).Exec(t.Ctx)
	return err
}

func without(all []kept, id string) []kept {
	var rest []kept
	for _, k := range all {
		if k.ID != id {
			rest = append(rest, k)
		}
	}
	return rest
}
