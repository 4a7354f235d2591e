package transport

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/go-playground/validator/v10"

	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/domain/text"
)

// rules validates the tags of bodies: required, min, max and dive of the validator, and
// visible for a text that is not blank.
var rules = newRules()

func newRules() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(jsonName)
	v.RegisterCustomTypeFunc(func(v reflect.Value) any { return v.Interface().(secret.String).Reveal() }, secret.String{})
	visible := func(f validator.FieldLevel) bool { return !text.IsBlank(f.Field().String()) }
	if err := v.RegisterValidation("visible", visible); err != nil {
		panic(err)
	}
	return v
}

func jsonName(field reflect.StructField) string { return field.Tag.Get("json") }

// validate returns the problems of the fields that break the rules of their tags.
func validate(body any) fault.Fields {
	err := rules.Struct(body)
	failures, ok := errors.AsType[validator.ValidationErrors](err)
	if err != nil && !ok {
		panic("httpapi: body can't be validated: " + err.Error())
	}
	var wrong fault.Fields
	for _, f := range failures {
		if name := nameOf(f); len(wrong[name]) == 0 {
			wrong.Add(name, sentence(f))
		}
	}
	return wrong
}

var index = regexp.MustCompile(`\[[0-9]+\]`)

// nameOf returns the field's wire name, like extra_params.open_id. Items of a list use the
// list's name.
func nameOf(f validator.FieldError) string {
	_, name, _ := strings.Cut(f.Namespace(), ".")
	return index.ReplaceAllString(name, "")
}

// sentence describes the broken rule as Django REST framework does.
func sentence(f validator.FieldError) string {
	switch f.Tag() {
	case "required":
		return text.Required
	case "visible":
		return text.Blank
	case "min", "max":
		return outOfBounds(f.Kind(), f.Tag() == "min", f.Param())
	}
	panic("httpapi: no sentence for the rule " + f.Tag())
}

func outOfBounds(kind reflect.Kind, isMin bool, bound string) string {
	format := "Ensure this value is no more than %s."
	switch {
	case kind == reflect.Slice && isMin:
		format = "Ensure this field has at least %s elements."
	case kind == reflect.Slice:
		format = "Ensure this field has no more than %s elements."
	case kind == reflect.String && isMin && bound == "1":
		return text.Blank
	case kind == reflect.String && isMin:
		format = "Ensure this field has at least %s characters."
	case kind == reflect.String:
		format = "Ensure this field has no more than %s characters."
	case isMin:
		format = "Ensure this value is at least %s."
	}
	return fmt.Sprintf(format, bound)
}
