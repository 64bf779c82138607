package schema

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// A decimal is the value of a JSON number without loss: digits × 10^exp, with
// no zero at either end of digits. Equal numbers have equal decimals, and no
// exponent, however large, costs memory.
type decimal struct {
	neg    bool
	digits string // "" is zero
	exp    int
}

// farExp stands for an exponent too large to be told from infinity.
const farExp = 1 << 40

func decimalOf(raw []byte) decimal {
	s := string(raw)
	var d decimal
	s, d.neg = strings.TrimPrefix(s, "-"), strings.HasPrefix(s, "-")
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exp := strings.TrimPrefix(s[i+1:], "+")
		n, err := strconv.Atoi(exp)
		if err != nil || n > farExp || n < -farExp {
			n = farExp
			if exp[0] == '-' {
				n = -farExp
			}
		}
		d.exp, s = n, s[:i]
	}
	if whole, frac, ok := strings.Cut(s, "."); ok {
		d.exp -= len(frac)
		s = whole + frac
	}
	s = strings.TrimLeft(s, "0")
	d.digits = strings.TrimRight(s, "0")
	d.exp += len(s) - len(d.digits)
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// isInteger reports whether the number has no fraction; 1.0 and 1e3 have none.
func isInteger(raw []byte) bool {
	for _, c := range raw {
		if c == '.' || c == 'e' || c == 'E' {
			return decimalOf(raw).exp >= 0
		}
	}
	return true
}

func (d decimal) compare(e decimal) int {
	if s := cmp.Compare(d.sign(), e.sign()); s != 0 || d.digits == "" {
		return s
	}
	mag := cmp.Compare(len(d.digits)+d.exp, len(e.digits)+e.exp)
	if mag == 0 {
		mag = strings.Compare(d.digits, e.digits) // both start at the same power of ten
	}
	return mag * d.sign()
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.neg:
		return -1
	}
	return 1
}

// maxPower bounds the exact arithmetic of multipleOf.
const maxPower = 1000

// multipleOf reports whether d is a whole number of times m. A quotient out of
// all proportion is taken to be one, for want of a cheap answer.
func (d decimal) multipleOf(m decimal) bool {
	if d.digits == "" {
		return true
	}
	shift := d.exp - m.exp
	if shift > maxPower || shift < -maxPower || len(d.digits) > maxPower || len(m.digits) > maxPower {
		return shift > 0
	}
	a, _ := new(big.Int).SetString(d.digits, 10)
	b, _ := new(big.Int).SetString(m.digits, 10)
	pow := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(shift, -shift))), nil)
	if shift >= 0 {
		a.Mul(a, pow)
	} else {
		b.Mul(b, pow)
	}
	return a.Rem(a, b).Sign() == 0
}
