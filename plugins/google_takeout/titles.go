package main

import (
	"slices"
	"strings"
)

// watchedTitles are what stands in front of the title of a video that was watched, and behind it, by
// language: https://github.com/atillaturkmen/youtube-rewind, supportedLanguages.js. Chinese and
// Portuguese exports have the English words. The longer ones come first.
var watchedTitles = []struct{ front, behind string }{
	{"Watched ", ""},
	{"", " angesehen"},
	{"Vous avez regardé ", ""},
	{"Has visto ", ""},
	{"Hai guardato ", ""},
	{"Je hebt naar ", " gekeken"},
	{"Obejrzano: ", ""},
	{"Просмотрено видео ", ""},
	{"Ви дивилися відео ", ""},
	{"", " を\u8996\u8074しました"},
	{"", " 을(를) 시청했습니다."},
	{"", " adlı videoyu izlediniz"},
	{"تمت مشاهدة ", " ."},
	{"", " izlənildi"},
	{"", " দেখা হয়েছে"},
	{"را تماشا کردید ", ""},
	{"Pinanood ang ", ""},
	{"", " देखा"},
	{"", " دیکھی"},
	{"Tittade på ", ""},
	{"Så på ", ""},
	{"Så ", ""},
	{"Ați vizionat ", ""},
	{"Παρακολουθήσατε το βίντεο ", ""},
	{"", " katsottiin"},
	{"Zhlédli jste video ", ""},
	{"Гледахте ", ""},
	{"Megtekintette a következőt: ", ""},
}

// videoTitle returns the title of a video that was watched without the words around it. Where they
// are in a language that is not known, they stay.
func videoTitle(title string) string {
	for _, w := range watchedTitles {
		if len(title) > len(w.front)+len(w.behind) && strings.HasPrefix(title, w.front) && strings.HasSuffix(title, w.behind) {
			return title[len(w.front) : len(title)-len(w.behind)]
		}
	}
	return title
}

// saysWatched reports whether a title says that something was watched: that of a video which was removed has more
// words around those that are known, or has them in another form.
func saysWatched(title string) bool {
	for _, w := range watchedTitles {
		if strings.HasPrefix(title, w.front) && strings.Contains(title, strings.Trim(w.behind, " .")) {
			return true
		}
	}
	return slices.ContainsFunc(watchedStems, func(stem string) bool { return strings.Contains(title, stem) })
}

// watchedStems are what a title says in languages that put nothing between words, or change the form of one.
var watchedStems = []string{"시청했", "시청함", "Angesehen: ", " bekeken", " izlendi", "Assistiu a", "Obejrzano ", "Просмотрено", "\u8996\u8074し", "\u89c2\u770b\u4e86", "\u89c0\u770b\u4e86"}

// otherVerbs begin the titles of what else is done on YouTube, in English.
var otherVerbs = names("added|answered|asked|commented|created|disliked|dismissed|hid|joined|left|liked|listened|opted|played|posted|rated|received|" +
	"removed|replied|reported|saved|searched|selected|shared|subscribed|turned|unsubscribed|used|viewed|visited|voted")

// saysOther reports whether a title says in English that something else was done than to watch a video.
func saysOther(title string) bool {
	verb, _, _ := strings.Cut(title, " ")
	return otherVerbs[strings.ToLower(verb)]
}
