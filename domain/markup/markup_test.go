package markup_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/markup"
)

func TestEVT04_blank_markup(t *testing.T) {
	for _, blank := range []markup.HTML{"", " ", "<p></p>", "<p>&nbsp;</p>\n<br>", "<ul><li> </li></ul>",
		"&#8203;", "<p>&#12644;&#x2800;</p>", "<b>\ufe0f</b>&shy;", `<img src="https://plaza.example/media/public/1.png" alt="a &gt; b">`} {
		assert.True(t, blank.IsBlank(), "%q", blank)
	}
	for _, seen := range []markup.HTML{"x", "<p>x</p>", "&lt;", "<b>a</b>", "1 &amp; 2", "&#10084;&#65039;"} {
		assert.False(t, seen.IsBlank(), "%q", seen)
	}
}

func TestText(t *testing.T) {
	assert.Equal(t, "Tea & cake < 3", markup.HTML("<p>Tea &amp; <b>cake</b> &lt; 3</p>").Text())
	assert.Equal(t, "cut", markup.HTML("cut<p").Text())
}
