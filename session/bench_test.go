package session_test

import (
	"context"
	"database/sql"
	"image"
	"image/color"
	"image/draw"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/screen"
	"github.com/taploop/taploop/session"
)

// BenchmarkStep is the journal's share of a step: Intent and Done with a frame of 1080x2400, all of
// it durable.
func BenchmarkStep(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	r := started(b, s)
	j := s.Journal(r)
	st := step(b, 1, actions.Home{})
	ctx := context.Background()
	b.ReportAllocs()
	for i := range b.N {
		b.StopTimer()
		st.Index, st.Look.Frame = i+1, picture(b, i)
		b.StartTimer()
		if err := j.Intent(ctx, st); err != nil {
			b.Fatal(err)
		}
		if err := j.Done(ctx, st, agentloop.Progress{Steps: i}); err != nil {
			b.Fatal(err)
		}
	}
}

// picture is a screen with rows of boxes, as a list has them.
func picture(t testing.TB, n int) *screen.Frame {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 1080, 2400))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{240, 240, 245, 255}), image.Point{},
		draw.Src)
	for y := 100; y < 2300; y += 120 {
		for x := 60; x < 1000; x += 30 + (x*y+n)%50 {
			box := image.Rect(x, y, x+20, y+60)
			draw.Draw(img, box, image.NewUniform(color.RGBA{uint8(x), uint8(y), uint8(n), 255}),
				image.Point{}, draw.Src)
		}
	}
	f, err := screen.NewFrame(img)
	require.NoError(t, err)
	return f
}

// BenchmarkAuditOfAQuestion is the story of one question in a long audit.
func BenchmarkAuditOfAQuestion(b *testing.B) {
	dir := b.TempDir()
	s := open(b, dir, nil)
	db, err := sql.Open("sqlite", filepath.Join(dir, "taploop.db"))
	require.NoError(b, err)
	_, err = db.Exec(`WITH RECURSIVE n (i) AS
		(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
		INSERT INTO audit (at, event, question_id, session_id)
			SELECT i, 'asked', 'q' || i, 's' || (i / 100) FROM n`)
	require.NoError(b, err)
	require.NoError(b, db.Close())
	for b.Loop() {
		list, err := s.Audit(b.Context(), session.AuditFilter{QuestionID: "q100000"})
		if err != nil || len(list) != 1 {
			b.Fatal(list, err)
		}
	}
}
