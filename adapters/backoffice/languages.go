package backoffice

import (
	"fmt"
	"reflect"

	"plaza/application/catalogue"
	"plaza/domain/locale"
)

// textsIn returns the texts in the language.
func textsIn(to locale.Tag) *Texts {
	texts := English
	texts.Each(func(_, english string) string {
		translated, _ := catalogue.Text(to, english)
		return translated
	})
	return &texts
}

// Each replaces every text by what the function makes of its name, like Money.Lists.due, and of itself. Other copies of the
// texts stay as they are.
func (t *Texts) Each(change func(name, text string) string) {
	changeTexts(reflect.ValueOf(t).Elem(), "", change)
}

func changeTexts(v reflect.Value, name string, change func(name, text string) string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(change(name[1:], v.String()))
	case reflect.Struct:
		for field, value := range v.Fields() {
			changeTexts(value, name+"."+field.Name, change)
		}
	case reflect.Slice:
		v.Set(reflect.AppendSlice(reflect.Zero(v.Type()), v))
		for i := range v.Len() {
			changeTexts(v.Index(i), fmt.Sprint(name, ".", i), change)
		}
	case reflect.Map:
		changed := reflect.MakeMap(v.Type())
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			changeTexts(value, fmt.Sprint(name, ".", key), change)
			changed.SetMapIndex(key, value)
		}
		v.Set(changed)
	default:
		panic("a text is a " + v.Kind().String())
	}
}
