package ecs

import (
	"fmt"
	"strings"
	"sync"

	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
	stssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/sts"
	vpcsdk "github.com/aliyun/alibaba-cloud-sdk-go/services/vpc"
)

// product is one of the services that the client talks to, in the spelling of
// the vendor's host names.
type product string

const (
	productECS product = "ecs"
	productVPC product = "vpc"
	productSTS product = "sts"
)

// vendorHosts are the hosts that the SDK knows by region. The SDK fills its maps
// on first use without a lock, so that they are asked once for the process.
var vendorHosts = sync.OnceValue(func() map[product]map[string]string {
	return map[product]map[string]string{
		productECS: ecssdk.GetEndpointMap(),
		productVPC: vpcsdk.GetEndpointMap(),
		productSTS: stssdk.GetEndpointMap(),
	}
})

// splitEndpoint separates an endpoint into scheme (may be empty) and host[:port].
func splitEndpoint(endpoint string) (scheme, host string, err error) {
	if endpoint == "" {
		return "", "", nil
	}
	host = endpoint
	if before, after, found := strings.Cut(endpoint, "://"); found {
		scheme, host = strings.ToLower(before), strings.TrimSuffix(after, "/")
		if scheme != protocolHTTPS && scheme != protocolHTTP {
			return "", "", fmt.Errorf("scheme is neither %q nor %q", protocolHTTPS, protocolHTTP)
		}
	}
	if !hostPattern.MatchString(host) {
		// The value is not repeated: it may hold a password.
		return "", "", fmt.Errorf("malformed: want host or host:port, optionally after http:// or https://")
	}
	return scheme, host, nil
}

// title is what users call the service.
func (service product) title() string { return strings.ToUpper(string(service)) }

// of is the endpoint of a service; empty where none is given.
func (e Endpoints) of(service product) string {
	return map[product]string{productECS: e.ECS, productVPC: e.VPC, productSTS: e.STS}[service]
}

// hostOf is the host that a call goes to.
func (c *Client) hostOf(k call) string {
	_, host := c.endpoint(k.product, k.region)
	return host
}

// endpoint returns scheme and host of a service in a region.
func (c *Client) endpoint(service product, region string) (scheme, host string) {
	// New has checked the value.
	scheme, host, _ = splitEndpoint(c.endpoints.of(service))
	if scheme == "" {
		scheme = c.protocol
	}
	if host == "" {
		host = vendorHosts()[service][region]
	}
	if host == "" && region != "" {
		host = fmt.Sprintf("%s.%s.aliyuncs.com", service, region)
	}
	if host == "" {
		host = fmt.Sprintf("%s.aliyuncs.com", service)
	}
	return scheme, host
}
