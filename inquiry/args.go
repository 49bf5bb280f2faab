package inquiry

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// argsSchema is the schema of the arguments of actions with this name; nil when there is none.
func (q Question) argsSchema(name string) map[string]any {
	for _, c := range q.ReviewConfigs {
		if c.ActionName == name && len(c.ArgsSchema) > 0 {
			return c.ArgsSchema
		}
	}
	return nil
}

// checkEdit says why an action cannot take the place of was.
func (b *Broker) checkEdit(q Question, was ActionRequest, e EditedAction) error {
	if schema := q.argsSchema(was.Name); schema != nil {
		return checkArgs(schema, was, e)
	}
	return b.opts.CheckEdit(was, e)
}

// checkArgs says why an action whose arguments have a schema cannot take the place of was.
func checkArgs(given map[string]any, was ActionRequest, e EditedAction) error {
	if e.Name != was.Name {
		return fmt.Errorf("its name is %.100q (only the arguments of %s can be edited)", e.Name,
			was.Name)
	}
	var schema jsonschema.Schema
	raw, err := json.Marshal(given)
	if err == nil {
		err = json.Unmarshal(raw, &schema)
	}
	schema.Schema = "" // of whatever draft: what differs is rare, and unknown words are ignored
	resolved, bad := schema.Resolve(nil)
	if err != nil || bad != nil {
		return errors.New("the schema of its arguments cannot be read (approve or reject it)")
	}
	encoded, err := json.Marshal(e.Args)
	if err != nil {
		return err
	}
	var args any
	if err := json.Unmarshal(encoded, &args); err != nil {
		return err
	}
	return resolved.Validate(args)
}
