package ecsemulator

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// page is the part of a list that one answer holds.
type page struct {
	first, end int
	number     int
	size       int
	nextToken  string
}

// pageByNumber pages by PageNumber and PageSize. Values out of bounds are refused.
func (c *call) pageByNumber(total, most int) (page, *APIError) {
	number, size := c.integer("PageNumber", 1), c.integer("PageSize", 10)
	if number < 1 {
		return page{}, invalidParameter("PageNumber")
	}
	if size < 1 || size > most {
		return page{}, invalidParameter("PageSize")
	}
	first := min((number-1)*size, total)
	return page{first: first, end: min(first+size, total), number: number, size: size}, nil
}

// pageByToken pages by NextToken and MaxResults, which are clamped to the bounds, not refused. keys are what identifies each item, in
// the list's order: a token names the last item given, so that what is created meanwhile shifts no page.
func (c *call) pageByToken(keys []string, least, most, usual int) (page, *APIError) {
	size := min(max(c.integer("MaxResults", usual), least), most)
	first := 0
	if c.has("NextToken") {
		position, last, ok := openToken(c.string("NextToken"))
		if !ok {
			return page{}, invalidParameter("NextToken")
		}
		first = min(position, len(keys))
		for i, key := range keys {
			if key == last {
				first = i + 1
				break
			}
		}
	}
	p := page{first: first, end: min(first+size, len(keys)), number: 1, size: size}
	if p.end < len(keys) {
		p.nextToken = sealToken(p.end, keys[p.end-1])
	}
	return p, nil
}

// pageEither takes the recommended way if either of its parameters is there, else the deprecated one.
func (c *call) pageEither(keys []string, most int) (page, *APIError) {
	const least = 10
	if c.has("NextToken") || c.has("MaxResults") {
		return c.pageByToken(keys, least, most, least)
	}
	return c.pageByNumber(len(keys), 100)
}

func sealToken(position int, last string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(position) + " " + last))
}

func openToken(token string) (position int, last string, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0, "", false
	}
	number, last, found := strings.Cut(string(raw), " ")
	position, err = strconv.Atoi(number)
	return position, last, found && err == nil && position >= 0
}
