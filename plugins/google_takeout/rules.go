package main

import (
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/exports"
)

// ruleOf returns the kind of a file that is not for this connector, by its name; "" for one that
// is to be looked at.
func ruleOf(f *exports.File) string {
	name, end := f.Name, f.Ending()
	if end != "" && strings.Contains(pictures, end+" ") {
		return "pictures"
	}
	if end == ".vcf" || end == ".ics" {
		return "products"
	}
	if folder, tells := product(f); tells && others[strings.ToLower(folder)] {
		return "products"
	}
	if base := path.Base(name); photoLists[base] {
		return "albums"
	}
	if strings.Contains(name, "Mail/User Settings/") && end != ".mbox" {
		return "settings"
	}
	return ""
}

// pictures are the endings of names of pictures, videos and sounds.
const pictures = ".jpg .jpeg .png .gif .heic .heif .webp .avif .bmp .tif .tiff .dng .nef .cr2 .cr3 .arw .rw2 .orf .raf .mp .cover " +
	".mp4 .m4v .mov .avi .mkv .3gp .3g2 .mpg .mpeg .mts .m2ts .wmv .webm .mp3 .m4a .wav .ogg .opus .amr .flac "

// product returns the folder of a product: the one in the innermost folder Takeout, or else the first. It
// tells nothing of a file that lies loose without a folder Takeout: its owner may have put a whole export
// into a folder that is called like a product.
func product(f *exports.File) (folder string, tells bool) {
	name, tells := f.Name, f.Place != f.Name
	if at := strings.LastIndex("/"+name, "/Takeout/"); at >= 0 {
		name, tells = name[at+len("Takeout/"):], true
	}
	folder, _, deep := strings.Cut(name, "/")
	if !deep {
		return "", false
	}
	return folder, tells
}

// photoLists are files of Google Photos, whose names are the same in every language.
var photoLists = map[string]bool{
	"print-subscriptions.json": true, "shared_album_comments.json": true, "user-generated-memory-titles.json": true,
}

// others are the folders of products that no stream has, in lower case. Names of brands are not
// translated; the others are those of English, and of the languages in docs/formats.md.
var others = names(`Access log activity|Alerts|Analytics|Android Device Configuration Service|Arts & Culture|Assistant Notes and Lists|
Blogger|Bookmarks|Calendar|Chrome|Cloud Print|Contacts|Crisis User Reports|Data Shared For Research|Discover|Drive|Firebase Dynamic Links|
Fit|Fitbit|Gemini|Google Account|Google Business Profile|Google Chat|Google Cloud Search|Google Developers|Google Drive|Google Earth|
Google Feedback|Google Finance|Google Fit|Google Haberler|Google Help Communities|Google Keep|Google Meet|Google My Business|Google News|
Google Nieuws|Google One|Google Pay|Google Play Books|Google Play Console|Google Play Games Services|Google Play Movies _ TV|
Google Play Movies & TV|Google Play Store|Google Podcasts|Google Shopping|Google Store|Google Translator Toolkit|Google Voice|Google Wallet|
Google Workspace Marketplace|Groups|Hangouts|Home App|Keep|Maps|Maps (your places)|Messages|My Maps|Nachrichten|Nest|News|Nieuws|
NotebookLM|Noticias|Package Tracking|Phone|Pixel Telemetry|Posts on Google|Profile|Purchases & Reservations|Purchases _ Reservations|
Recorder|Reminders|Saved|Search Contributions|Search Notifications|Shopping Lists|Street View|Tasks|Voice|الأخبار|` + "\u65b0\u95fb")

// names returns the set of the names in a list, as they are spelled there and in lower case.
func names(list string) map[string]bool {
	set := make(map[string]bool)
	for name := range strings.SplitSeq(strings.ReplaceAll(list, "\n", ""), "|") {
		set[name], set[strings.ToLower(name)] = true, true
	}
	return set
}

// channelLists are the names of the list of subscriptions without its ending, and of its folder, by
// language. One under a name that is missing here is known by its rows alone.
var channelLists = names("subscriptions|Abos|Abonnements|suscripciones|abonnementen|iscrizioni|inscrições|subskrypcje|tilaukset|prenumerationer|" +
	"abonelikler|подписки|підписки|\u767b\u9332チャンネル|구독정보|\u8ba2\u9605\u5185\u5bb9|\u8a02\u95b1\u5167\u5bb9")

// listsChannels reports whether a file's name, or its folder's, says that it is a list of subscriptions.
func listsChannels(f *exports.File) bool {
	return channelLists[title(f)] || channelLists[strings.ToLower(path.Base(path.Dir(f.Name)))]
}
