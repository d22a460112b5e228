package ecs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// replaying is a transport that always gives the same answer.
type replaying struct{ body []byte }

func (r replaying) RoundTrip(*http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	if _, err := recorder.Write(r.body); err != nil {
		return nil, err
	}
	return recorder.Result(), nil
}

// page is an answer of as many instances as one call gives, each with the tags that
// ours have.
func page(b *testing.B) []byte {
	b.Helper()
	var instances []map[string]any
	for number := range pageSize {
		var tags []map[string]string
		for index := range 10 {
			tags = append(tags, map[string]string{"TagKey": fmt.Sprintf("terraform-machine/key-%d", index), "TagValue": "value"})
		}
		instances = append(instances, map[string]any{
			"InstanceId": fmt.Sprintf("i-%04d", number), "Status": "Running", "InstanceType": "ecs.g7.large", "ZoneId": "cn-hangzhou-h",
			"CreationTime": "2026-11-29T10:04Z", "Tags": map[string]any{"Tag": tags},
			"VpcAttributes": map[string]any{"VSwitchId": "vsw-a", "PrivateIpAddress": map[string]any{"IpAddress": []string{"10.0.0.1"}}},
		})
	}
	text, err := json.Marshal(map[string]any{"RequestId": "r", "TotalCount": pageSize, "Instances": map[string]any{"Instance": instances}})
	if err != nil {
		b.Fatal(err)
	}
	return text
}

func benchmarked(b *testing.B, body []byte) *Client {
	b.Helper()
	client, err := New(Config{Region: testRegion, Credentials: StaticCredentials(testKeyID, testKeySecret, ""), Transport: replaying{body}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	return client
}

// A hundred machines in one call: what a page of a refresh costs.
func BenchmarkReaderPage(b *testing.B) {
	client := benchmarked(b, page(b))
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if listed, err := client.describeInstancesByTags(ctx, testRegion, map[string]string{"owner": "x"}, nil); err != nil || len(listed) != pageSize {
			b.Fatal(len(listed), err)
		}
	}
}

// What each of a hundred callers pays to join a shared read and to be served by it,
// without the call.
func BenchmarkReaderSharing(b *testing.B) {
	client := benchmarked(b, nil)
	ids := instanceIDs(0, pageSize)
	known := make(map[string]Instance, len(ids))
	for _, id := range ids {
		known[id] = Instance{ID: id, Tags: map[string]string{"a": "1", "b": "2", "c": "3"}}
	}
	client.instances.fetch = func(context.Context, string, []string, func(*Error)) (map[string]Instance, error) { return known, nil }
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if found, err := client.InstancesByID(ctx, "", ids); err != nil || len(found) != pageSize {
			b.Fatal(len(found), err)
		}
	}
}

func BenchmarkClassifier(b *testing.B) {
	failures := []struct {
		code, message string
		status        int
	}{
		{"OperationDenied.NoStock", "sold out", 403},
		{"Throttling.User", "slow down", 400},
		{"InvalidInstanceId.NotFound", "gone", 404},
		{"Unheard.Of", "what", 400},
		{"", "", 502},
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, failure := range failures {
			if classify("RunInstances", failure.code, failure.message, failure.status).class == "" {
				b.Fatal("no class")
			}
		}
	}
}

// Building and signing one request, which every call pays.
func BenchmarkSignature(b *testing.B) {
	client := benchmarked(b, nil)
	value := CredentialValue{AccessKeyID: testKeyID, AccessKeySecret: testKeySecret}
	filter, err := json.Marshal(instanceIDs(0, pageSize))
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	k := call{action: sharedAction, product: productECS, region: testRegion, request: func() (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateDescribeInstancesRequest()
		request.InstanceIds = string(filter)
		return request, ecssdk.CreateDescribeInstancesResponse()
	}}
	b.ReportAllocs()
	for b.Loop() {
		request, _ := k.request()
		if _, err := client.sign(ctx, k, request, value); err != nil {
			b.Fatal(err)
		}
	}
}

// The limiter stands before every call.
func BenchmarkLimiter(b *testing.B) {
	client := benchmarked(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		allowed, wait := client.limits.admit(sharedAction, testRegion)
		if wait > 0 {
			b.Fatal(wait)
		}
		client.limits.report(allowed, outcomeCounted)
	}
}
