package scripted

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // pictures of requests
	_ "image/png"
	"slices"
	"strings"
)

// Request is a chat request as the handler understood it.
type Request struct {
	Model    string
	Messages []Said
	Body     []byte // as it came
	Rule     int    // which rule of the script answers, from 1, 0 for none
}

// Said is one message of a request.
type Said struct {
	Role   string
	Text   string // its text parts, one a line
	Images []image.Image
}

// Asked is the text of the last user message, which rules are matched against.
func (r *Request) Asked() string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == "user" {
			return m.Text
		}
	}
	return ""
}

// All is the text of all messages, one after the other.
func (r *Request) All() string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

// labels reports whether a guard asks which labels of a screen do harm: the last message is an
// object of an app and its labels, and the request has no pictures.
func (r *Request) labels() bool {
	var asked struct {
		App    *string   `json:"app"`
		Labels *[]string `json:"labels"`
	}
	d := json.NewDecoder(strings.NewReader(r.Asked()))
	d.DisallowUnknownFields()
	return d.Decode(&asked) == nil && asked.App != nil && asked.Labels != nil &&
		!slices.ContainsFunc(r.Messages, func(m Said) bool { return len(m.Images) > 0 })
}

// fault is a request that a real endpoint would refuse.
type fault struct {
	status              int
	message, kind, code string
}

func (f *fault) Error() string { return f.message }

func badRequest(format string, args ...any) error {
	return &fault{status: 400, message: fmt.Sprintf(format, args...), kind: "invalid_request_error"}
}

// wire has the fields that are read of a request's JSON. A content is decoded only once: pictures
// are long.
type wire struct {
	Model    *string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	} `json:"messages"`
	Stream bool `json:"stream"`
}

// readRequest checks a body as an endpoint does.
func readRequest(body []byte) (*Request, error) {
	var w wire
	r := &Request{Body: body}
	err := json.Unmarshal(body, &w)
	var wrong *json.UnmarshalTypeError // is of a field, or of the whole
	switch {
	case err != nil && (!errors.As(err, &wrong) || wrong.Field == ""):
		return nil, badRequest("we could not parse the JSON body of your request: %v", err)
	case err != nil:
		return nil, badRequest("invalid request: %v", err)
	case w.Model == nil || *w.Model == "":
		return nil, badRequest("you must provide a model parameter")
	case w.Stream:
		return nil, badRequest("stream: this endpoint gives whole replies only")
	case len(w.Messages) == 0:
		return nil, badRequest("messages: a list of at least one message is required")
	}
	r.Model = *w.Model
	for i, m := range w.Messages {
		msg, err := said(m.Role, m.Content)
		if err != nil {
			return nil, badRequest("messages[%d]: %v", i, err)
		}
		r.Messages = append(r.Messages, msg)
	}
	return r, nil
}

var roles = []string{"system", "developer", "user", "assistant", "tool"}

func said(role string, content any) (Said, error) {
	out := Said{Role: role}
	if !slices.Contains(roles, role) {
		return out, fmt.Errorf("role: %q is not one of %s", role, strings.Join(roles, ", "))
	}
	switch content := content.(type) {
	case nil:
		if role == "assistant" { // one that only called tools has none
			return out, nil
		}
		return out, errors.New("content is required")
	case string:
		out.Text = content
		return out, nil
	case []any:
		var texts []string
		for i, part := range content {
			if err := out.add(part, &texts); err != nil {
				return out, fmt.Errorf("content[%d]: %w", i, err)
			}
		}
		out.Text = strings.Join(texts, "\n")
		return out, nil
	}
	return out, errors.New("content is neither a string nor a list of parts")
}

func (m *Said) add(part any, texts *[]string) error {
	fields, _ := part.(map[string]any)
	text, isText := fields["text"].(string)
	inner, _ := fields["image_url"].(map[string]any)
	url, isURL := inner["url"].(string)
	switch {
	case fields["type"] == "text" && isText:
		*texts = append(*texts, text)
	case fields["type"] == "image_url" && isURL:
		img, err := picture(url)
		if err != nil {
			return fmt.Errorf("image_url: %w", err)
		}
		m.Images = append(m.Images, img)
	default:
		return fmt.Errorf("type %q (want text, or image_url, each with its field)",
			fmt.Sprint(fields["type"]))
	}
	return nil
}

// maxPixels bounds a picture before memory is taken for it.
const maxPixels = 64 << 20

// picture decodes a data URL. Other URLs are not fetched.
func picture(url string) (image.Image, error) {
	head, data, ok := strings.Cut(url, ";base64,")
	if !ok || head != "data:image/jpeg" && head != "data:image/png" {
		return nil, fmt.Errorf("want a data:image/jpeg;base64 or data:image/png;base64 URL, "+
			"got %.40q", url)
	}
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("the data is not base64: %w", err)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(b))
	if err == nil && c.Width*c.Height > maxPixels {
		return nil, fmt.Errorf("%dx%d is too large", c.Width, c.Height)
	}
	img, format, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("the data is no picture: %w", err)
	}
	if "data:image/"+format != head {
		return nil, fmt.Errorf("the data is %s, not what %s says", format, head)
	}
	return img, nil
}
