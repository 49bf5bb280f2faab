package apps

import "time"

// Seed is what the apps of a new phone store.
func Seed(now time.Time, lang string) *Data {
	s := seed{&Data{Granted: map[string]bool{}, Shop: Shop{WalletPIN: "2580"}}, now}
	In(lang, s.english, s.chinese)()
	for _, t := range s.Threads {
		t.Unread = false
	}
	return s.Data
}

type seed struct {
	*Data
	now time.Time
}

func (s seed) english() {
	s.alarms("Gym", "Weekend")
	s.note("Ideas", "Plant basil on the balcony.\nAsk Tom about the bicycle.", 26*time.Hour)
	s.note("Wi-Fi guests", "Network: Lindenhof\nThe password is on the fridge.", 5*24*time.Hour)
	s.note("Packing list", "Passport, charger, rain jacket, book", 9*24*time.Hour)
	s.contact("Anna", "Berg", "+1 555 0119")
	s.contact("Tom", "Keller", "+1 555 0134")
	s.event("Dentist", "12 Mill Lane", 29*time.Hour)
	s.event("Choir", "Town hall", 78*time.Hour)
	s.talk("Mom", "+1 555 0102", 74*time.Hour, "Did you get home safely?",
		">Yes, all fine. Good night!")
	s.talk("Wang Wei", "+86 138 0013 8000", 51*time.Hour, "周末一起去爬山吗?", ">好啊, 几点出发?",
		"早上八点, 地铁站见")
	s.talk("Dr. Lee Dental", "+1 555 0177", 29*time.Hour,
		"Your check-up is confirmed for Tuesday at 14:20, 12 Mill Lane. Reply STOP to end these "+
			"messages.")
	s.talk("Tom", "+1 555 0134", 7*time.Hour, "The bicycle is yours if you want it",
		">Great, I will pick it up on Sunday", "See you on Sunday")
	s.talk("Anna Berg", "+1 555 0119", 95*time.Minute, "Dinner at 19:00 at Luigi's?",
		">Sounds good!", "See you there")
}

func (s seed) chinese() {
	s.alarms("健身", "周末")
	s.note("想法", "在阳台上种罗勒。\n问问小汤自行车的事。", 26*time.Hour)
	s.note("访客无线网络", "网络: 菩提园\n密码贴在冰箱上。", 5*24*time.Hour)
	s.note("行李清单", "护照、充电器、雨衣、书", 9*24*time.Hour)
	s.contact("安娜", "", "+86 139 1000 0119")
	s.contact("小汤", "", "+86 139 1000 0134")
	s.event("看牙医", "磨坊巷12号", 29*time.Hour)
	s.event("合唱团", "市政厅", 78*time.Hour)
	s.talk("妈妈", "+86 139 1000 0102", 74*time.Hour, "平安到家了吗?")
	s.talk("妈妈", "+86 139 1000 0102", 73*time.Hour, ">到了, 一切都好, 晚安!")
	s.talk("李医生口腔诊所", "+86 10 5550 0177", 29*time.Hour,
		"您的口腔检查已预约: 星期二 14:20, 磨坊巷12号。")
	s.talk("小汤", "+86 139 1000 0134", 7*time.Hour, "自行车送给你, 要吗?", "星期天见")
	s.talk("安娜", "+86 139 1000 0119", 95*time.Minute, "今晚七点一起吃饭?")
	s.talk("安娜", "+86 139 1000 0119", 90*time.Minute, ">好的!")
}

func (s seed) alarms(first, second string) {
	s.Alarms = []*Alarm{{Hour: 6, On: true, Label: first}, {Hour: 8, Minute: 15, Label: second}}
}

func (s seed) note(title, body string, ago time.Duration) {
	s.Notes = append(s.Notes, &Note{Title: title, Body: body, Edited: s.now.Add(-ago)})
}

func (s seed) contact(first, last, number string) {
	s.Contacts = append(s.Contacts, &Contact{first, last, number, "Mobile"})
}

func (s seed) event(title, place string, in time.Duration) {
	s.Events = append(s.Events, &Event{title, place, s.now.Truncate(time.Hour).Add(in)})
}

// talk adds messages four minutes apart. A text that begins with > went out.
func (s seed) talk(name, number string, ago time.Duration, lines ...string) {
	for i, text := range lines {
		at := s.now.Add(-ago + time.Duration(i)*4*time.Minute)
		if text[0] == '>' {
			s.Send(name, number, text[1:], at)
		} else {
			s.Receive(name, number, text, at)
		}
	}
}
