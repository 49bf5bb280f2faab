package simulation

import (
	"fmt"
	"image"
	"image/draw"
	"math/rand/v2"

	"github.com/taploop/taploop/internal/lab/calibrate"
	"github.com/taploop/taploop/internal/sandbox/ui"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/words"
)

// display is a screen that targets are drawn on.
type display struct {
	size      image.Point
	density   int
	landscape bool
}

var displays = []display{
	{image.Pt(1080, 2400), 420, false}, {image.Pt(2400, 1080), 420, true},
	{image.Pt(720, 1280), 320, false}, {image.Pt(1280, 720), 320, true},
}

// The targets: texts in two scripts, and icons with their names.
var (
	latin = []string{"Alarm", "Search", "Save", "Cancel", "Photos", "Music", "Battery", "Contacts",
		"Download", "Settings", "Calendar", "Weather"}
	han = []string{"设置", "搜索", "保存", "取消", "相册", "音乐", "电池", "联系人", "下载", "闹钟", "日历",
		"天气"}
	pictograms = []string{"search", "heart", "bell", "star", "lock", "trash", "wifi", "cart", "pin",
		"plane", "headset", "moon"}
)

// targetTexts ask for a target.
type targetTexts struct {
	Tap, TapIcon string
	Shows        map[string]string // by pictograms
}

var targetWords = words.Of[targetTexts]("targets")

// askFor asks for a target in every language.
func askFor(in func(*targetTexts) string) map[string]string {
	all := map[string]string{}
	for _, lang := range words.Languages() {
		all[lang] = in(targetWords(lang))
	}
	return all
}

// DrawTargets draws screens on which n targets in all are to be tapped, each among others. The same
// n gives the same screens.
func DrawTargets(n int) ([]calibrate.Screen, error) {
	random := rand.New(rand.NewPCG(1, uint64(len(displays))))
	var screens []calibrate.Screen
	for i, d := range displays {
		asked := (n + len(displays) - 1 - i) / len(displays)
		if asked == 0 {
			continue
		}
		s, err := d.draw(random, asked)
		if err != nil {
			return nil, err
		}
		screens = append(screens, s)
	}
	return screens, nil
}

// cells is in how many columns and rows a display has its targets.
func (d display) cells() (columns, rows int) {
	if d.landscape {
		return 6, 3
	}
	return 3, 6
}

// draw draws a screen full of targets, so many of which are asked for.
func (d display) draw(random *rand.Rand, asked int) (calibrate.Screen, error) {
	img := image.NewRGBA(image.Rectangle{Max: d.size})
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	columns, rows := d.cells()
	var all []calibrate.Target
	texts, icons := random.Perm(len(latin)), random.Perm(len(pictograms))
	for i, cell := range random.Perm(columns * rows) {
		w, h := d.size.X/columns, d.size.Y/rows
		at := image.Pt(cell%columns*w, cell/columns*h)
		room := image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}
		small := (i/3+i%3)%2 == 1
		switch k := i / 3 % len(latin); i % 3 {
		case 0:
			all = append(all, d.text(img, random, room, latin[texts[k]], "latin", small))
		case 1:
			all = append(all, d.text(img, random, room, han[texts[k]], "han", small))
		default:
			all = append(all, d.icon(img, random, room, icons[k], small))
		}
	}
	frame, err := screen.NewFrame(img)
	way := "portrait"
	if d.landscape {
		way = "landscape"
	}
	return calibrate.Screen{Frame: frame, Targets: all[:min(asked, len(all))],
		Groups: []string{way, fmt.Sprintf("%dx%d", d.size.X, d.size.Y)}}, err
}

// text draws a button, or small the bare word.
func (d display) text(img *image.RGBA, random *rand.Rand, room image.Rectangle, word, script string,
	small bool) calibrate.Target {
	v, size := ui.Button(word, nil).Pad(6, 12), "large"
	w, h := 104, 44
	if small {
		v, size = ui.Small(word).Centered(), "small"
		w, h = 64, 22
	}
	return calibrate.Target{Box: d.place(img, random, room, v, w, h),
		Groups: []string{"text " + script, size},
		Task:   askFor(func(t *targetTexts) string { return fmt.Sprintf(t.Tap, word) })}
}

func (d display) icon(img *image.RGBA, random *rand.Rand, room image.Rectangle, which int,
	small bool) calibrate.Target {
	icon := pictograms[which]
	side, size := 48, "large"
	if small {
		side, size = 22, "small"
	}
	return calibrate.Target{Box: d.place(img, random, room, ui.Icon(icon).Size(side), side, side),
		Groups: []string{"icon", size},
		Task: askFor(func(t *targetTexts) string {
			return fmt.Sprintf(t.TapIcon, t.Shows[icon])
		})}
}

// place draws a view somewhere in the room, w by h dp large, and returns where.
func (d display) place(img *image.RGBA, random *rand.Rand, room image.Rectangle, v *ui.View,
	w, h int) image.Rectangle {
	m := ui.Metrics{Density: d.density}
	size := image.Pt(m.Px(w), m.Px(h))
	free := room.Size().Sub(size)
	at := room.Min.Add(image.Pt(random.IntN(max(free.X, 1)), random.IntN(max(free.Y, 1))))
	box := image.Rectangle{Min: at, Max: at.Add(size)}
	ui.Draw(img, ui.Paint(ui.Layout(v, box, m, new(ui.Memory)), &ui.Light, false))
	return box
}
