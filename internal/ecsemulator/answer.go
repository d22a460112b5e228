package ecsemulator

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// answer is what goes back for one call: a result or a refusal, or what a rule puts in their place.
type answer struct {
	in        incoming
	requestID string
	region    string
	service   service

	result  any
	refusal *APIError
	// cut closes the connection without an answer.
	cut bool
	// raw replaces the answer.
	raw *rawAnswer
}

type rawAnswer struct {
	status      int
	contentType string
	body        string
}

// send writes the answer and returns its HTTP status and error code. Status 0 means that the connection was cut.
func (a *answer) send(w http.ResponseWriter) (status int, code string) {
	if a.cut {
		// A connection that cannot be taken over is ended by the panic that net/http understands as such.
		hijacker, ok := w.(http.Hijacker)
		if !ok {
			panic(http.ErrAbortHandler)
		}
		connection, _, err := hijacker.Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		_ = connection.Close() // the point is that nothing arrives
		return 0, ""
	}
	header := w.Header()
	header.Set("x-acs-request-id", a.requestID)
	if a.raw != nil {
		header.Set("Content-Type", a.raw.contentType)
		w.WriteHeader(a.raw.status)
		_, _ = w.Write([]byte(a.raw.body)) // a client that has gone needs no answer
		return a.raw.status, ""
	}
	root, body, status := a.encode()
	if a.refusal != nil {
		code = a.refusal.Code
	}
	if a.in.format == "JSON" {
		header.Set("Content-Type", "application/json;charset=utf-8")
	} else {
		header.Set("Content-Type", "text/xml;charset=utf-8")
		body = xmlFromJSON(root, body)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone needs no answer
	return status, code
}

// encode gives the answer as JSON, with the name that its root has in XML.
func (a *answer) encode() (root string, body []byte, status int) {
	if a.refusal != nil {
		return "Error", a.encodeRefusal(), a.refusal.HTTPStatus
	}
	id, _ := json.Marshal(a.requestID) // a string always encodes
	rest, err := json.Marshal(a.result)
	if err != nil || len(rest) < 2 || rest[0] != '{' {
		a.refusal = refuse(500, "InternalError", "The request processing has failed due to some unknown error.")
		return "Error", a.encodeRefusal(), 500
	}
	body = append([]byte(`{"RequestId":`), id...)
	if string(rest) != "{}" {
		body = append(body, ',')
	}
	return a.in.action + "Response", append(body, rest[1:]...), 200
}

func (a *answer) encodeRefusal() []byte {
	product := a.service.product()
	host := strings.ToLower(product) + ".aliyuncs.com"
	if a.region != "" && len(a.region) <= 64 {
		host = strings.ToLower(product) + "." + a.region + ".aliyuncs.com"
	}
	document := struct {
		RequestID          string `json:"RequestId"`
		HostID             string `json:"HostId"`
		Code               string
		Message            string
		Recommend          string
		AccessDeniedDetail map[string]any `json:",omitempty"`
	}{
		RequestID: a.requestID, HostID: host, Code: a.refusal.Code, Message: a.refusal.Message,
		Recommend: "https://api.aliyun.com/troubleshoot?q=" + url.QueryEscape(a.refusal.Code) + "&product=" + product +
			"&requestId=" + a.requestID,
		AccessDeniedDetail: a.refusal.AccessDeniedDetail,
	}
	body, _ := json.Marshal(document) // strings and a map of strings always encode
	return body
}

// xmlFromJSON rewrites an answer: an object is an element with its fields inside, a list an element for each item.
func xmlFromJSON(root string, body []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var out bytes.Buffer
	out.WriteString(`<?xml version='1.0' encoding='UTF-8'?>`)
	writeXML(&out, decoder, root)
	return out.Bytes()
}

// writeXML writes the next value of the decoder as one element, or as many as the list has items.
func writeXML(out *bytes.Buffer, decoder *json.Decoder, name string) {
	token, err := decoder.Token()
	if err != nil {
		return
	}
	if token == json.Delim('[') {
		for decoder.More() {
			writeXML(out, decoder, name)
		}
		_, _ = decoder.Token() // the closing bracket, which More has seen
		return
	}
	out.WriteString("<" + name + ">")
	switch value := token.(type) {
	case json.Delim:
		for decoder.More() {
			field, _ := decoder.Token() // a key, since More has seen one
			key, _ := field.(string)
			writeXML(out, decoder, key)
		}
		_, _ = decoder.Token() // the closing brace, which More has seen
	case string:
		_ = xml.EscapeText(out, []byte(value)) // a buffer takes all
	case json.Number:
		out.WriteString(value.String())
	case bool:
		out.WriteString(strconv.FormatBool(value))
	}
	out.WriteString("</" + name + ">")
}
