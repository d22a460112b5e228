package ecsemulator

import (
	"crypto/rand"
	"fmt"
	"strings"
)

const idAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

// randomID is the default of Options.NewID.
func randomID() string {
	raw := make([]byte, 17)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the program instead
	for i, b := range raw {
		raw[i] = idAlphabet[int(b)%len(idAlphabet)]
	}
	return string(raw)
}

// newRequestID makes a request id in the form the gateway gives: an upper case UUID.
func newRequestID() string {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the program instead
	raw[6] = raw[6]&0x0f | 0x40
	raw[8] = raw[8]&0x3f | 0x80
	return strings.ToUpper(fmt.Sprintf("%x-%x-%x-%x-%x", raw[0:4], raw[4:6], raw[6:8], raw[8:10], raw[10:]))
}

// serialOf makes the serial number of a thing, which stays the same for the same id: a lower case UUID.
func serialOf(id string) string {
	sum := sha256Hex([]byte(id))
	return strings.Join([]string{sum[:8], sum[8:12], sum[12:16], sum[16:20], sum[20:32]}, "-")
}

// regionMark is the pair of letters after the dash of an id, which hints at the region.
func regionMark(regionID string) string {
	switch regionID {
	case "cn-hangzhou":
		return "bp"
	case "cn-shanghai":
		return "uf"
	case "cn-beijing":
		return "2z"
	case "cn-shenzhen":
		return "wz"
	case "ap-southeast-1":
		return "t4"
	default:
		return "xx"
	}
}

// resourceID makes an id such as i-bp1abc..., 20 characters after the prefix.
func (s *Server) resourceID(prefix, regionID string) string {
	return prefix + "-" + regionMark(regionID) + "1" + s.options.NewID()
}
