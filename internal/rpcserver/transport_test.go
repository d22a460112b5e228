package rpcserver

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
)

// rawCodec sends and receives messages that are encoded already. The generated
// client of the plugin protocol is internal to the SDK, so the tests encode the
// few fields that they need.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(message any) ([]byte, error) {
	raw, ok := message.([]byte)
	if !ok {
		return nil, fmt.Errorf("cannot send a %T", message)
	}
	return raw, nil
}

func (rawCodec) Unmarshal(data []byte, message any) error {
	raw, ok := message.(*[]byte)
	if !ok {
		return fmt.Errorf("cannot receive a %T", message)
	}
	*raw = append([]byte(nil), data...)
	return nil
}

// invoke calls an RPC of the plugin protocol over a connection and returns the
// encoded response.
func invoke(ctx context.Context, connection *grpc.ClientConn, rpc string, request []byte) ([]byte, error) {
	response := []byte{}
	err := connection.Invoke(ctx, "/tfplugin6.Provider/"+rpc, request, &response, grpc.ForceCodec(rawCodec{}))
	return response, err
}

// appendBytes appends a length-delimited field.
func appendBytes(message []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(message, field, protowire.BytesType), value)
}

// appendDynamic appends a DynamicValue, whose field 1 is MessagePack.
func appendDynamic(message []byte, field protowire.Number, value *tfprotov6.DynamicValue) []byte {
	return appendBytes(message, field, appendBytes(nil, 1, value.MsgPack))
}

// encodedRead is a ReadResource.Request for a tiny_thing.
func encodedRead(t testing.TB, value string) []byte {
	t.Helper()
	message := appendBytes(nil, 1, []byte("tiny_thing"))
	return appendDynamic(message, 2, thing(t, value))
}

// encodedCreate is an ApplyResourceChange.Request that creates a tiny_thing.
func encodedCreate(t testing.TB, value string) []byte {
	t.Helper()
	message := appendBytes(nil, 1, []byte("tiny_thing"))
	message = appendDynamic(message, 2, thing(t, nothing))
	message = appendDynamic(message, 3, thing(t, value))
	return appendDynamic(message, 4, thing(t, value))
}
