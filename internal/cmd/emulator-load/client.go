package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // the protocol signs with HMAC-SHA1
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// client makes signed calls and notes how each went.
type client struct {
	http  *http.Client
	url   string
	notes notes
}

// call is one call to make. An empty code wants success; otherwise it wants to be refused by that code.
type call struct {
	action     string
	parameters map[string]string
	code       string
}

// answered is what the load needs of answers.
type answered struct {
	Code           string
	InstanceIDSets struct {
		InstanceIDSet []string `json:"InstanceIdSet"`
	} `json:"InstanceIdSets"`
}

// do makes a call and notes its latency, and what went otherwise than wanted. It fails where no answer came that can be read.
func (c *client) do(ctx context.Context, wanted call) (answered, error) {
	var got answered
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/?"+sign(wanted), nil)
	if err != nil {
		return got, err
	}
	began := time.Now()
	response, err := c.http.Do(request)
	if err != nil {
		return got, fmt.Errorf("%s: %w", wanted.action, scrub(err))
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return got, fmt.Errorf("%s: %w", wanted.action, err)
	}
	took := time.Since(began)
	if err := json.Unmarshal(body, &got); err != nil {
		return got, fmt.Errorf("%s: %w", wanted.action, err)
	}
	c.notes.add(wanted.action, took)
	if got.Code != wanted.code || (response.StatusCode != http.StatusOK) != (wanted.code != "") {
		c.notes.unwanted(fmt.Sprintf("%s answered %d %q, not %q", wanted.action, response.StatusCode, got.Code, wanted.code))
	}
	return got, nil
}

// scrub takes the signed query out of a transport error.
func scrub(err error) error {
	if failed, ok := err.(*url.Error); ok { //nolint:errorlint // net/http returns exactly this type
		return failed.Err
	}
	return err
}

// sign gives the query of a call.
func sign(wanted call) string {
	version := "2014-05-26"
	if wanted.action == "DescribeVSwitches" {
		version = "2016-04-28"
	}
	query := url.Values{
		"Action": {wanted.action}, "Version": {version}, "Format": {"JSON"}, "RegionId": {ecsemulator.DefaultRegionID},
		"AccessKeyId": {ecsemulator.DefaultAccessKeyID}, "SignatureMethod": {"HMAC-SHA1"}, "SignatureVersion": {"1.0"},
		"SignatureNonce": {rand.Text()}, "Timestamp": {time.Now().UTC().Format("2006-01-02T15:04:05Z")},
	}
	for name, value := range wanted.parameters {
		query.Set(name, value)
	}
	canonical := strings.NewReplacer("+", "%20", "*", "%2A", "%7E", "~").Replace(query.Encode())
	mac := hmac.New(sha1.New, []byte(ecsemulator.DefaultAccessKeySecret+"&"))
	mac.Write([]byte("POST&%2F&" + strings.ReplaceAll(url.QueryEscape(canonical), "+", "%20")))
	query.Set("Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return query.Encode()
}
