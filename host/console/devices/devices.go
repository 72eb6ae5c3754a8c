package devices

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
)

const path = "/devices"

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET "+path, s.Signed(list))
	mux.Handle("GET "+path+"/invite", s.Signed(showInvite))
	mux.Handle("POST "+path+"/invite", s.Signed(invite))
	mux.Handle("GET "+path+"/of/{device}", s.Signed(show))
	mux.Handle("POST "+path+"/of/{device}/accept", s.Signed(accept))
	mux.Handle("POST "+path+"/of/{device}/revoke", s.Signed(revoke))
}

// address is the page of a device.
func address(id string) string { return path + "/of/" + url.PathEscape(id) }

func list(v *site.Visit) error {
	all, err := devices.List(v.Context(), v.Owner)
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.DevicesTitle, ui.Devices, listPage(all, v.Now()))
}

func show(v *site.Visit) error {
	d, err := devices.Show(v.Context(), v.Owner, v.R.PathValue("device"))
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, ui.Safe(d.Name()), ui.Devices, devicePage(d, v.Proof(), v.Now()))
}

// accept lets a device deliver the streams that the page showed, and no others.
func accept(v *site.Visit) error {
	if err := v.R.ParseForm(); err != nil {
		return abi.NewError(abi.CodeUsage, words.Broken, words.BrokenHint)
	}
	shown := v.R.PostForm["stream"]
	_, err := devices.AcceptStreams(v.Context(), v.Owner, v.R.PathValue("device"), func(_ *devices.Device, offers []devices.Offer) error {
		n := 0
		for _, o := range offers {
			for _, stream := range o.Streams {
				if !slices.Contains(shown, o.Connection+" "+stream) {
					return abi.NewError(abi.CodeUsage, words.OffersChanged, words.OffersHintAgain)
				}
				n++
			}
		}
		if n != len(shown) {
			return abi.NewError(abi.CodeUsage, words.OffersChanged, words.OffersHintAgain)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.Done(address(v.R.PathValue("device")), words.StreamsAccepted)
}

func revoke(v *site.Visit) error {
	d, err := devices.Revoke(v.Context(), v.Owner, v.R.PathValue("device"), func(*devices.Device) error { return nil })
	if err != nil {
		return err
	}
	return v.Done(address(d.ID), words.DeviceRevoked)
}
