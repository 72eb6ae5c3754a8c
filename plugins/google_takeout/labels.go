package main

import "strings"

// Google writes the labels of messages in the language of the account. The names are from
// https://github.com/rgladwell/imap-upload (English, Spanish, Catalan, German),
// https://github.com/suitenumerique/messages (French) and https://github.com/rustmailer/bichon/issues/358
// (the others); docs/formats.md says more.
var (
	unread = names("Unread|Ungelesen|Non lus|No leídos|No llegits|Non letti|Não lidos|Ongelezen|Olästa|Ulæst|Ulest|Lukemattomat|" +
		"Nieprzeczytane|Nepřečtené|Olvasatlan|Necitite|Непрочитанные|Непрочитані|Okunmamış|Μη αναγνωσμένα")
	opened = names("Opened|Open|Geöffnet|Ouvert|Ouverts|Abierto|Abiertos|Oberts|Aperti|Abertos|Geopend|Öppnade|Åbnet|Åpnet|Avatut|Otworzone|" +
		"Otevřené|Megnyitott|Deschise|Открытые|Відкриті|Açıldı|Ανοιγμένα")
	drafts  = names("Draft|Drafts|Entwurf|Entwürfe|Borrador|Borradores|Esborrany|Esborranys|Brouillon|Brouillons")
	starred = names("Starred|Markiert|Destacados|Favoris|Suivis")

	// system are labels that a message has beside its state, by which its language is known.
	system = names("Inbox|Sent|Archived|Trash|Spam|Posteingang|Gesendet|Archiviert|Boîte de réception|Envoyé|Messages envoyés|Archivés|Messages archivés|" +
		"Recibidos|Enviados|Archivados|Safata d'entrada|Enviats|Posta in arrivo|Inviati|Archiviati|Caixa de entrada|Arquivados|Postvak IN|" +
		"Verzonden items|Gearchiveerd|Inkorgen|Skickade|Arkiverade|Indbakke|Sendt|Arkiveret|Innboks|Arkivert|Saapuneet|Lähetetyt|Arkistoidut|" +
		"Odebrane|Wysłane|Zarchiwizowane|Doručené|Doručená pošta|Odeslané|Odesláno|Archivováno|Beérkezett üzenetek|Elküldött üzenetek|Archivált|" +
		"Căsuța de intrare|Trimise|Arhivate|Входящие|Отправленные|В архиве|Вхідні|Надіслані|В архіві|Gelen Kutusu|Gönderilmiş|Arşivlendi|" +
		"Εισερχόμενα|Απεσταλμένα|Αρχειοθέτηση")
	// plain are those of the languages of which the names of drafts and stars are known, too.
	plain = names("Inbox|Sent|Archived|Trash|Opened|Open|Unread|Posteingang|Gesendet|Archiviert|Geöffnet|Ungelesen|Boîte de réception|Envoyé|" +
		"Messages envoyés|Archivés|Messages archivés|Ouvert|Ouverts|Non lus|Recibidos|Archivados|Abierto|Abiertos|No leídos")
)

// marks are what the labels of a message say of it. Where they are in a language that is not known,
// they say nothing.
type marks struct{ draft, starred, seen mark }

// mark is yes, no, or not known.
type mark struct{ is, known bool }

func marksOf(labels []string) marks {
	has := func(set map[string]bool) bool {
		for _, label := range labels {
			if set[strings.ToLower(label)] {
				return true
			}
		}
		return false
	}
	m := marks{draft: mark{has(drafts), has(plain)}, starred: mark{has(starred), has(plain)}}
	m.draft.known = m.draft.known || m.draft.is
	m.starred.known = m.starred.known || m.starred.is
	switch {
	case has(unread):
		m.seen = mark{false, true}
	case has(opened), has(system), m.draft.is: // exports of before 2020 mark what was not read alone
		m.seen = mark{true, true}
	}
	return m
}
