package requesttool

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"agsh.dev/agent"
)

func TestAddressesThatAreNotPublic(t *testing.T) {
	for addr, want := range map[string]string{
		"93.184.215.14": "", "8.8.8.8": "", "2606:4700::1111": "", "172.32.0.1": "", "100.128.0.1": "", "192.0.1.1": "",
		"127.0.0.1": "loopback", "127.255.255.254": "loopback", "::1": "loopback", "::ffff:127.0.0.1": "loopback",
		"10.0.0.1": "private", "172.16.0.1": "private", "172.31.255.255": "private", "192.168.1.1": "private",
		"::ffff:10.0.0.1": "private", "fc00::1": "private", "fd12:3456::1": "private", "fec0::1": "private",
		"169.254.169.254": "link-local", "::ffff:169.254.169.254": "link-local", "fe80::1": "link-local", "fe80::1%eth0": "link-local",
		"100.64.0.1": "carrier", "100.127.255.255": "carrier",
		"0.0.0.0": "unspecified", "0.1.2.3": "unspecified", "::": "unspecified",
		"224.0.0.1": "multicast", "239.1.1.1": "multicast", "ff02::1": "multicast",
		"255.255.255.255": "broadcast", "240.0.0.1": "reserved", "192.0.0.1": "reserved", "198.19.0.1": "private",
		"64:ff9b::7f00:1": "loopback address inside IPv6", "64:ff9b::a00:1": "private address inside IPv6", "64:ff9b::808:808": "",
		"64:ff9b:1::1":     "private NAT64",
		"2002:7f00:1::":    "loopback address inside IPv6",
		"2002:a9fe:a9fe::": "link-local address inside IPv6", "2002:808:808::": "",
		"::127.0.0.1": "loopback address inside IPv6", "::ffff:0:127.0.0.1": "loopback address inside IPv6",
		"2001::1": "Teredo", "100::1": "discard",
	} {
		got := internal(netip.MustParseAddr(addr))
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("internal(%s) = %q, want %q", addr, got, want)
		}
	}
	if internal(netip.Addr{}) == "" {
		t.Error("the zero address passes")
	}
}

// names answers each lookup with the next of a name's answers; the last one
// stays.
type names map[string][][]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	answers := n[host]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(answers) > 1 {
		n[host] = answers[1:]
	}
	var addrs []netip.Addr
	for _, a := range answers[0] {
		addrs = append(addrs, netip.MustParseAddr(a))
	}
	return addrs, nil
}

// leading connects to one server whatever it is asked for, and remembers what
// that was.
type leading struct {
	to    string
	asked *[]string
}

func (d leading) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	*d.asked = append(*d.asked, address)
	if strings.HasPrefix(address, "203.0.113.99:") {
		return nil, errors.New("unreachable")
	}
	return new(net.Dialer).DialContext(ctx, network, d.to)
}

func TestOnlyCheckedAddressesAreConnectedTo(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close") // each call connects again
	}))
	defer server.Close()
	for _, tt := range []struct {
		name         string
		host         string
		answers      [][]string
		allowPrivate bool
		calls        []string // parts of the error of each call; "" is none
		dialed       string
	}{
		{"public", "api.test", [][]string{{"203.0.113.1"}}, false, []string{""}, "203.0.113.1:80"},
		{"loopback by name", "api.test", [][]string{{"127.0.0.1"}}, false, []string{"api.test is 127.0.0.1, which is a loopback address: set allowPrivate"}, ""},
		{"private by name", "api.test", [][]string{{"10.0.0.1"}}, false, []string{"api.test is 10.0.0.1, which is a private address"}, ""},
		{"mapped by name", "api.test", [][]string{{"::ffff:127.0.0.1"}}, false, []string{"a loopback address"}, ""},
		{"all of several", "api.test", [][]string{{"10.0.0.1", "fc00::1"}}, false, []string{"set allowPrivate if this tool may go there; api.test is fc00::1"}, ""},
		{"literal", "169.254.169.254", nil, false, []string{"169.254.169.254 is a link-local address: set allowPrivate"}, ""},
		{"literal IPv6", "[::1]:8080", nil, false, []string{"::1 is a loopback address"}, ""},
		{"rebinding", "api.test", [][]string{{"203.0.113.1"}, {"127.0.0.1"}}, false, []string{"", "a loopback address"}, "203.0.113.1:80"},
		{"the public one of both", "api.test", [][]string{{"10.0.0.1", "203.0.113.1"}}, false, []string{""}, "203.0.113.1:80"},
		{"the next when one is down", "api.test", [][]string{{"203.0.113.99", "203.0.113.2"}}, false, []string{""}, "203.0.113.99:80 203.0.113.2:80"},
		{"allowed", "api.test:81", [][]string{{"10.0.0.1"}}, true, []string{""}, "10.0.0.1:81"},
		{"no such name", "api.test", nil, false, []string{"no such host"}, ""},
		{"no address", "api.test", [][]string{{}}, false, []string{"api.test has no address"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// A proxy would choose the address itself.
			t.Setenv("HTTP_PROXY", server.URL)
			var asked []string
			name, _, _ := strings.Cut(tt.host, ":")
			f := New(agent.Request{URL: "http://" + tt.host + "/", AllowPrivate: tt.allowPrivate}, Config{
				Resolver: names{name: tt.answers}, Dialer: leading{server.Listener.Addr().String(), &asked},
			})
			for i, want := range tt.calls {
				_, err := f.Run(t.Context(), json.RawMessage(`{}`))
				if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("call %d: %v, want %q", i+1, err, want)
				}
			}
			if got := strings.Join(asked, " "); got != tt.dialed {
				t.Errorf("connected to %q, want %q", got, tt.dialed)
			}
		})
	}
}
