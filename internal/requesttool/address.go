package requesttool

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// A Resolver finds the addresses of a host name; [*net.Resolver] is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// A Dialer opens a connection to an address; [*net.Dialer] is one.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// A guard dials for requests. It resolves a name itself and connects to the
// very address it has checked, so that a name cannot lead elsewhere between
// the check and the connection.
type guard struct {
	resolver     Resolver
	dialer       Dialer
	allowPrivate bool
}

// dialLimit bounds the attempt to reach one of several addresses.
const dialLimit = 10 * time.Second

// dial is what [net/http.Transport] calls. It tries the addresses of a name in
// the order they were found.
func (g guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs, err := g.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, addr := range addrs {
		if kind := internal(addr); kind != "" && !g.allowPrivate {
			failed = errors.Join(failed, refusal(host, addr, kind))
			continue
		}
		conn, err := g.connect(ctx, network, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		failed = errors.Join(failed, err)
		if ctx.Err() != nil {
			break
		}
	}
	if failed == nil {
		return nil, fmt.Errorf("%s has no address", host)
	}
	return nil, failed
}

func (g guard) connect(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	return g.dialer.DialContext(ctx, network, address)
}

func (g guard) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}
	return g.resolver.LookupNetIP(ctx, "ip", host)
}

func refusal(host string, addr netip.Addr, kind string) error {
	where := addr.String()
	if where != host {
		where = host + " is " + where + ", which"
	}
	return fmt.Errorf("%s is %s: set allowPrivate if this tool may go there", where, kind)
}

// internal says what keeps addr from being an address of the public
// internet; "" when nothing does. An IPv6 address that stands for an IPv4
// address is judged as that.
func internal(addr netip.Addr) string {
	addr = addr.WithZone("").Unmap()
	if !addr.IsValid() {
		return "no address"
	}
	for _, block := range blocks() {
		if !block.prefix.Contains(addr) {
			continue
		}
		if block.embeds < 0 {
			return block.kind
		}
		raw := addr.As16()
		if kind := internal(netip.AddrFrom4([4]byte(raw[block.embeds:]))); kind != "" {
			return kind + " inside IPv6"
		}
		return ""
	}
	return ""
}

// A block is a range of addresses that are not public or, if embeds is not
// negative, that hold an IPv4 address from that byte on.
type block struct {
	prefix netip.Prefix
	kind   string
	embeds int
}

// blocks are in order: of two that overlap the narrower comes first.
func blocks() []block {
	return []block{
		{v4(0, 0, 8), "an unspecified address", -1},
		{v4(10, 0, 8), "a private address", -1},
		{v4(100, 64, 10), "a carrier's private address", -1},
		{v4(127, 0, 8), "a loopback address", -1},
		{v4(169, 254, 16), "a link-local address", -1},
		{v4(172, 16, 12), "a private address", -1},
		{v4(192, 0, 24), "a reserved address", -1},
		{v4(192, 168, 16), "a private address", -1},
		{v4(198, 18, 15), "a private address for tests", -1},
		{v4(224, 0, 4), "a multicast address", -1},
		{v4(240, 0, 4), "a reserved or broadcast address", -1},

		{v6(128), "an unspecified address", -1},
		{netip.PrefixFrom(netip.IPv6Loopback(), 128), "a loopback address", -1},
		{v6(96), "", 12},                         // IPv4-compatible
		{v6(96, 0x00, 0x64, 0xff, 0x9b), "", 12}, // NAT64
		{v6(48, 0x00, 0x64, 0xff, 0x9b, 0x00, 0x01), "a private NAT64 address", -1}, // any translation
		{v6(64, 0x01), "a discard address", -1},                                     // 100::/64
		{v6(32, 0x20, 0x01), "a Teredo address, which hides an IPv4 address", -1},   // 2001::/32
		{v6(16, 0x20, 0x02), "", 2},                                                 // 6to4
		{v6(7, 0xfc), "a private address", -1},                                      // unique local
		{v6(10, 0xfe, 0x80), "a link-local address", -1},
		{v6(10, 0xfe, 0xc0), "a private address", -1}, // site-local
		{v6(8, 0xff), "a multicast address", -1},
		{v6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff), "", 12}, // translated IPv4
	}
}

func v4(a, b byte, bits int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{a, b}), bits)
}

func v6(bits int, lead ...byte) netip.Prefix {
	var raw [16]byte
	copy(raw[:], lead)
	return netip.PrefixFrom(netip.AddrFrom16(raw), bits)
}
