package main

import "strings"

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
// words around those that are known.
func saysWatched(title string) bool {
	for _, w := range watchedTitles {
		if strings.HasPrefix(title, w.front) && strings.Contains(title, strings.Trim(w.behind, " .")) {
			return true
		}
	}
	return false
}
