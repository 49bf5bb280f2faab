package model

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShapeSetsFieldsAndKeepsEveryOtherByte(t *testing.T) {
	for _, tc := range []struct {
		name, body, want string
		set              []field
	}{
		{"a field that is there", `{"a":1,"m":{ "x" : "\u003c<" , "n": 1.50 },"z":[ ]}`, `{"a":2,"m":{ "x" : "\u003c<" , "n": 1.50 },"z":[ ]}`, []field{{"a", json.RawMessage("2")}}},
		{"a new field", `{"a":1}`, `{"a":1,"top_k":20}`, []field{{"top_k", json.RawMessage("20")}}},
		{"a field taken out", `{"a":1,"b":2}`, `{"b":2}`, []field{{name: "a"}}},
		{"the last field taken out", `{"a":1}`, `{}`, []field{{name: "a"}}},
		{"a field that is not there taken out", `{"a":1}`, `{"a":1}`, []field{{name: "x"}}},
		{"the later one wins", `{}`, `{"a":2}`, []field{{"a", json.RawMessage("1")}, {"a", json.RawMessage("2")}}},
		{"a name with a quote", `{}`, `{"a\"b":1}`, []field{{`a"b`, json.RawMessage("1")}}},
	} {
		got, err := shape([]byte(tc.body), tc.set)
		require.NoError(t, err, tc.name)
		require.Equal(t, tc.want, string(got), tc.name)
	}
	for _, bad := range []string{"", "[]", "null", `{"a":`, `{"a":1`, `{"a" 1}`} {
		_, err := shape([]byte(bad), nil)
		require.Error(t, err, "%q", bad)
	}
}

func TestHashedChangesDataURLsOnly(t *testing.T) {
	require.Equal(t, "data:image/jpeg;sha256,ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad;bytes=3", hashed("data:image/jpeg;base64,YWJj"))
	require.Contains(t, hashed("data:image/jpeg;base64,###"), ";bytes=3", "broken data is not kept either")
	for _, same := range []string{"", "the data: it is;base64,x", "write data:\n;base64,", "x;base64,YWJj"} {
		require.Equal(t, same, hashed(same))
	}
}
