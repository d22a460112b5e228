package rpcserver

import (
	"net"
	"runtime"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	memoryRPCs  = 5000
	memoryValue = 16 << 10
	mebibyte    = 1 << 20
)

// Not parallel: it measures the heap of the whole process, and sets variables.
func TestMemoryStaysFlatOverThousandsOfRPCs(t *testing.T) {
	for variable, level := range quietVariables(func(string) string { return "" }, "tiny") {
		t.Setenv(variable, level)
	}
	inner := providerserver.NewProtocol6(&tinyProvider{})

	bare := heapGrowth(t, inner)
	wrapped := heapGrowth(t, Wrap(inner))
	t.Logf("heap growth over %d RPCs: %.1f MiB bare, %.1f MiB wrapped", memoryRPCs, bare, wrapped)

	if wrapped > 8 {
		t.Errorf("the heap grew by %.1f MiB over %d RPCs, want at most 8", wrapped, memoryRPCs)
	}
	if bare < 3*wrapped || bare < 16 {
		t.Errorf("without the wrapper the heap grew by only %.1f MiB: the measurement shows nothing", bare)
	}
}

// heapGrowth serves factory over gRPC and returns by how many MiB the live heap
// grew over memoryRPCs reads.
func heapGrowth(t *testing.T, factory func() tfprotov6.ProviderServer) float64 {
	t.Helper()
	transport := grpc.NewServer()
	plugin := &tf6server.GRPCProviderPlugin{GRPCProvider: factory, Name: tinyAddress}
	if err := plugin.GRPCServer(nil, transport); err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- transport.Serve(listener) }()
	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := connection.Close(); err != nil {
			t.Error(err)
		}
		transport.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()

	request := encodedRead(t, strings.Repeat("v", memoryValue))
	read := func(times int) {
		for range times {
			if _, err := invoke(t.Context(), connection, "ReadResource", request); err != nil {
				t.Fatal(err)
			}
		}
	}
	read(100)
	before := liveHeap()
	read(memoryRPCs)
	return (liveHeap() - before) / mebibyte
}

func liveHeap() float64 {
	var stats runtime.MemStats
	// Twice, so that what the first collection finalized is gone too.
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}
