package apps

import (
	"fmt"
	"hash/fnv"
	"slices"
)

// Shop is what the shop keeps of its customer.
type Shop struct {
	User      string // phone number of the customer who is logged in, or ""
	Cart      []*Item
	Orders    []int  // what each cost, in cents
	WalletPIN string // what paying asks for
	Wary      bool   // sends a code only to who solves a puzzle
	code      string // the login code that was sent last
	codes     int    // how many were sent
}

// Item is a line of the cart.
type Item struct {
	Product *Product
	Size    string
	Color   string
	Count   int
}

// Product is something that the shop sells.
type Product struct {
	ID, EN, ZH    string
	Price         int // cents
	Sizes, Colors []string
	Icon          string
	Tint          uint32
	Category      string
}

// Products is the shop's range.
var Products = []*Product{
	{"runner", "Runner sneakers", "轻跑运动鞋", 7900, []string{"39", "40", "41", "42", "43", "44"},
		[]string{"black", "white"}, "shoe", 0x3c6fb5, "shoes"},
	{"trail", "Trail running shoes", "越野跑鞋", 9950, []string{"40", "41", "42", "43"},
		[]string{"green", "grey"}, "shoe", 0x2e7d6b, "shoes"},
	{"canvas", "Canvas shoes", "帆布鞋", 4500, []string{"38", "39", "40", "41", "42"},
		[]string{"red", "white", "blue"}, "shoe", 0xb5533c, "shoes"},
	{"merino", "Merino T-shirt", "美利奴羊毛T恤", 3900, []string{"S", "M", "L", "XL"},
		[]string{"navy", "grey"}, "shirt", 0x3d5a80, "clothes"},
	{"cotton", "Cotton T-shirt", "纯棉T恤", 1500, []string{"S", "M", "L", "XL"},
		[]string{"white", "black", "red"}, "shirt", 0x8e5bb5, "clothes"},
	{"rain", "Rain jacket", "雨衣", 8900, []string{"S", "M", "L"}, []string{"yellow", "blue"},
		"umbrella", 0xb8860b, "clothes"},
	{"mug", "Stoneware mug", "陶瓷杯", 1200, nil, []string{"white", "blue"}, "mug", 0x6d4c41, "home"},
	{"lamp", "Desk lamp", "台灯", 3400, nil, []string{"black", "brass"}, "lamp", 0x5f6368, "home"},
	{"clock", "Wall clock", "挂钟", 2900, nil, nil, "clock", 0x455a64, "home"},
	{"headset", "Wireless headphones", "无线耳机", 12900, nil, []string{"black", "silver"}, "headset",
		0x283593, "tech"},
	{"watch", "Sports watch", "运动手表", 15900, nil, []string{"black", "orange"}, "watch", 0x00695c,
		"tech"},
	{"novel", "Novel: The Long Way", "小说《长路》", 1400, nil, nil, "book", 0x7b5ea7, "books"},
	{"cookbook", "Cookbook for two", "双人食谱", 2200, nil, nil, "book", 0x9c3d6e, "books"},
	{"umbrella", "Folding umbrella", "折叠伞", 1900, nil, []string{"black", "red"}, "umbrella",
		0x1967a8, "home"},
}

// colours are the labels of the products' colours.
var colours = map[string]string{
	"black": "黑色", "white": "白色", "green": "绿色", "grey": "灰色", "red": "红色", "blue": "蓝色",
	"navy":   "藏青",
	"yellow": "黄色", "brass": "黄铜", "silver": "银色", "orange": "橙色",
}

// add puts one piece into the cart, to a line of the same kind if there is one.
func (s *Shop) add(p *Product, size, color string) {
	same := func(it *Item) bool {
		return it.Product == p && it.Size == size && it.Color == color
	}
	if i := slices.IndexFunc(s.Cart, same); i >= 0 {
		s.Cart[i].Count++
		return
	}
	s.Cart = append(s.Cart, &Item{p, size, color, 1})
}

func (s *Shop) total() int {
	sum := 0
	for _, it := range s.Cart {
		sum += it.Product.Price * it.Count
	}
	return sum
}

func (s *Shop) count() int {
	n := 0
	for _, it := range s.Cart {
		n += it.Count
	}
	return n
}

// newCode makes the next login code: always the same one for the same phone and number, but not a
// known constant.
func (s *Shop) newCode(number string) string {
	s.codes++
	h := fnv.New32a()
	fmt.Fprintf(h, "%s/%d", number, s.codes)
	s.code = fmt.Sprintf("%06d", h.Sum32()%1000000)
	return s.code
}

// price is cents as text.
func price(cents int) string { return fmt.Sprintf("$%d.%02d", cents/100, cents%100) }
