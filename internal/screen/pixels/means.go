package pixels

import (
	"encoding/binary"
	"image"
)

// Means divides a plane of that size into equal cells, cols of them in a row, and fills in the mean
// of each. Where there are more cells than pixels, neighbours share one.
func Means(means []byte, cols int, plane []byte, stride int, size image.Point) {
	rows := len(means) / cols
	for row := range rows {
		top, bottom := Part(row, rows, size.Y)
		for col := range cols {
			left, right := Part(col, cols, size.X)
			sum := 0
			for y := top; y < bottom; y++ {
				sum += total(plane[y*stride:][left:right])
			}
			means[row*cols+col] = uint8(sum / ((right - left) * (bottom - top)))
		}
	}
}

// Part is the pixels of n that the cell i of so many covers, at least one.
func Part(i, of, n int) (from, to int) {
	from = min(i*n/of, n-1)
	return from, max((i+1)*n/of, from+1)
}

// total adds bytes up, eight at a time: in pairs first, each in 16 bits, and these in the highest.
func total(list []byte) (sum int) {
	const ones = 0x0001_0001_0001_0001
	for ; len(list) >= 8; list = list[8:] {
		v := binary.LittleEndian.Uint64(list)
		sum += int((v&low8 + v>>8&low8) * ones >> 48)
	}
	for _, b := range list {
		sum += int(b)
	}
	return sum
}
