// Package a is small.
package a

import "fmt"

/*
	two

lines
*/
func f(x []int, s string) (n float64) {
	for i := range x {
		n += 0x1F + 1.5e3*.5
	}
	fmt.Println(`raw
	text`, 'x', '\n', "a \"b\"", nil, true)
	return n
}
