package apps

import "time"

// Seed is what the apps of a new phone store.
func Seed(now time.Time, lang string) *Data {
	if lang == "zh" {
		return seedZH(now)
	}
	d := &Data{Granted: map[string]bool{}, Shop: Shop{WalletPIN: "2580"}}
	d.Alarms = []*Alarm{
		{Hour: 6, Minute: 0, On: true, Label: "Gym"},
		{Hour: 8, Minute: 15, Label: "Weekend"},
	}
	d.Notes = []*Note{
		{Title: "Ideas", Body: "Plant basil on the balcony.\nAsk Tom about the bicycle.",
			Edited: now.Add(-26 * time.Hour)},
		{Title: "Wi-Fi guests", Body: "Network: Lindenhof\nThe password is on the fridge.",
			Edited: now.Add(-5 * 24 * time.Hour)},
		{Title: "Packing list", Body: "Passport, charger, rain jacket, book",
			Edited: now.Add(-9 * 24 * time.Hour)},
	}
	talk := func(name, number string, ago time.Duration, lines ...string) {
		for i, text := range lines {
			at := now.Add(-ago + time.Duration(i)*4*time.Minute)
			if mine := text[0] == '>'; mine {
				d.Send(name, number, text[1:], at)
			} else {
				d.Receive(name, number, text, at)
			}
		}
		d.Thread(name).Unread = false
	}
	talk("Mom", "+1 555 0102", 74*time.Hour, "Did you get home safely?",
		">Yes, all fine. Good night!")
	talk("Wang Wei", "+86 138 0013 8000", 51*time.Hour, "周末一起去爬山吗?", ">好啊, 几点出发?", "早上八点, 地铁站见")
	talk("Dr. Lee Dental", "+1 555 0177", 29*time.Hour,
		"Your check-up is confirmed for Tuesday at 14:20, 12 Mill Lane. Reply STOP to end these "+
			"messages.")
	talk("Tom", "+1 555 0134", 7*time.Hour, "The bicycle is yours if you want it",
		">Great, I will pick it up on Sunday")
	talk("Anna Berg", "+1 555 0119", 95*time.Minute, "Dinner at 19:00 at Luigi's?", ">Sounds good!",
		"See you there")
	return d
}

func seedZH(now time.Time) *Data {
	d := &Data{Granted: map[string]bool{}, Shop: Shop{WalletPIN: "2580"}}
	d.Alarms = []*Alarm{
		{Hour: 6, Minute: 0, On: true, Label: "健身"},
		{Hour: 8, Minute: 15, Label: "周末"},
	}
	d.Notes = []*Note{
		{Title: "想法", Body: "在阳台上种罗勒。\n问问小汤自行车的事。", Edited: now.Add(-26 * time.Hour)},
		{Title: "访客无线网络", Body: "网络: 菩提园\n密码贴在冰箱上。", Edited: now.Add(-5 * 24 * time.Hour)},
		{Title: "行李清单", Body: "护照、充电器、雨衣、书", Edited: now.Add(-9 * 24 * time.Hour)},
	}
	for _, m := range []struct {
		name, number, text string
		mine               bool
		ago                time.Duration
	}{
		{"妈妈", "+86 139 1000 0102", "平安到家了吗?", false, 74 * time.Hour},
		{"妈妈", "+86 139 1000 0102", "到了, 一切都好, 晚安!", true, 73 * time.Hour},
		{"李医生口腔诊所", "+86 10 5550 0177", "您的口腔检查已预约: 星期二 14:20, 磨坊巷12号。", false, 29 * time.Hour},
		{"小汤", "+86 139 1000 0134", "自行车送给你, 要吗?", false, 7 * time.Hour},
		{"安娜", "+86 139 1000 0119", "今晚七点一起吃饭?", false, 95 * time.Minute},
		{"安娜", "+86 139 1000 0119", "好的!", true, 90 * time.Minute},
	} {
		at := now.Add(-m.ago)
		if m.mine {
			d.Send(m.name, m.number, m.text, at)
		} else {
			d.Receive(m.name, m.number, m.text, at)
		}
	}
	for _, t := range d.Threads {
		t.Unread = false
	}
	return d
}
