package decider

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/taploop/taploop/inquiry"
)

// parse reads a reply: one JSON object with one of the keys, and nothing else.
func parse(q *inquiry.Question, reply string) (answer string, err error) {
	keys, value, err := single(afterThought(reply))
	if err != nil {
		return "", err
	}
	if len(q.Fields) > 0 && keys == "values" {
		if !strings.HasPrefix(string(value), "{") {
			return "", errors.New("values is no object")
		}
		return string(value), nil
	}
	var said string
	if err := json.Unmarshal(value, &said); err != nil || string(value) == "null" {
		return "", fmt.Errorf("%s is no text", keys)
	}
	switch {
	case keys == "cannot_decide":
		return "", &UndecidedError{said}
	case len(q.Fields) > 0:
		return "", fmt.Errorf("%s does not answer a form", keys)
	case strings.TrimSpace(said) == "":
		return "", fmt.Errorf("%s is empty", keys)
	case keys == "choice":
		for _, o := range q.Options {
			if strings.TrimSpace(o) == strings.TrimSpace(said) {
				return o, nil
			}
		}
		return "", fmt.Errorf("%q is none of the choices", said)
	case len(q.Options) > 0 && !q.FreeText:
		return "", errors.New("a text does not answer a question with choices only")
	}
	return said, nil
}

// single is the one key of an object, and its value.
func single(object string) (key string, value json.RawMessage, err error) {
	d := json.NewDecoder(strings.NewReader(object))
	first, err := d.Token()
	if err != nil || first != json.Delim('{') {
		return "", nil, errors.New("it is no JSON object")
	}
	token, err := d.Token()
	key, is := token.(string)
	switch {
	case err != nil || !is:
		return "", nil, errors.New("the object says nothing")
	case key != "choice" && key != "text" && key != "values" && key != "cannot_decide":
		return "", nil, fmt.Errorf("unknown key %.40q", key)
	}
	if err := d.Decode(&value); err != nil {
		return "", nil, fmt.Errorf("the value of %s is no JSON", key)
	}
	if end, err := d.Token(); err != nil || end != json.Delim('}') {
		return "", nil, errors.New("there is more than one key")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "", nil, errors.New("there is more than the object")
	}
	return key, value, nil
}
