package reference

import (
	"regexp"
	"strings"
)

// block is a block of a text in Markdown. The page renders the subset that the document
// uses: headings, paragraphs, lists, tables, code, emphasis and links.
type block struct {
	Kind  string // heading, paragraph, list, table or code
	ID    string // of a heading
	Lines [][]span
	Rows  [][][]span // of a table; the first is its head
	Code  string
}

// span is a piece of a line.
type span struct {
	Kind string // text, code, strong or link
	Text string
	URL  string
}

var (
	bullet    = regexp.MustCompile(`^\s*[-*] +`)
	ruler     = regexp.MustCompile(`^\|[\s|:-]+\|$`)
	inline    = regexp.MustCompile("`([^`]+)`|\\*\\*([^*]+)\\*\\*|\\[([^]]+)\\]\\(([^)\\s]+)\\)|<(https?://[^>]+)>")
	notInSlug = regexp.MustCompile(`[^a-z0-9]+`)
)

// slug returns the text as a part of a URL.
func slug(text string) string {
	return strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(text), "-"), "-")
}

func blocks(text string) (all []block) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		begin, line := i, lines[i]
		var b block
		switch {
		case strings.TrimSpace(line) == "":
			i++
			continue
		case strings.HasPrefix(line, "#"):
			i++
			title := strings.TrimSpace(strings.TrimLeft(line, "#"))
			b = block{Kind: "heading", ID: slug(title), Lines: [][]span{spans(title)}}
		case strings.HasPrefix(line, "```"):
			i = until(lines, i+1, func(l string) bool { return strings.HasPrefix(l, "```") }) + 1
			b = block{Kind: "code", Code: strings.Join(lines[begin+1:i-1], "\n")}
		case strings.HasPrefix(line, "    "):
			i = until(lines, i, func(l string) bool { return l != "" && !strings.HasPrefix(l, "    ") })
			code := strings.ReplaceAll("\n"+strings.Join(lines[begin:i], "\n"), "\n    ", "\n")
			b = block{Kind: "code", Code: strings.Trim(code, "\n")}
		case strings.HasPrefix(line, "|"):
			i = until(lines, i, func(l string) bool { return !strings.HasPrefix(l, "|") })
			b = table(lines[begin:i])
		case bullet.MatchString(line):
			i = until(lines, i, func(l string) bool { return l == "" || !bullet.MatchString(l) && !strings.HasPrefix(l, " ") })
			b = list(lines[begin:i])
		default:
			i = until(lines, i, func(l string) bool { return l == "" || bullet.MatchString(l) || l[0] == '|' || l[0] == '#' })
			b = block{Kind: "paragraph", Lines: [][]span{spans(strings.Join(lines[begin:i], " "))}}
		}
		all = append(all, b)
	}
	return all
}

// until returns the index of the first line from begin on that ends the block, or the number
// of lines.
func until(lines []string, begin int, ends func(string) bool) int {
	for i := begin; i < len(lines); i++ {
		if ends(lines[i]) {
			return i
		}
	}
	return len(lines)
}

func list(lines []string) block {
	var items []string
	for _, line := range lines {
		if bullet.MatchString(line) {
			items = append(items, bullet.ReplaceAllString(line, ""))
		} else {
			items[len(items)-1] += " " + strings.TrimSpace(line)
		}
	}
	b := block{Kind: "list"}
	for _, item := range items {
		b.Lines = append(b.Lines, spans(item))
	}
	return b
}

func table(lines []string) block {
	b := block{Kind: "table"}
	for _, line := range lines {
		if ruler.MatchString(line) {
			continue
		}
		var row [][]span
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			row = append(row, spans(strings.TrimSpace(cell)))
		}
		b.Rows = append(b.Rows, row)
	}
	return b
}

func spans(line string) (all []span) {
	end := 0
	for _, m := range inline.FindAllStringSubmatchIndex(line, -1) {
		if m[0] > end {
			all = append(all, span{Kind: "text", Text: line[end:m[0]]})
		}
		switch {
		case m[2] >= 0:
			all = append(all, span{Kind: "code", Text: line[m[2]:m[3]]})
		case m[4] >= 0:
			all = append(all, span{Kind: "strong", Text: line[m[4]:m[5]]})
		case m[10] >= 0:
			all = append(all, span{Kind: "link", Text: line[m[10]:m[11]], URL: line[m[10]:m[11]]})
		default:
			all = append(all, span{Kind: "link", Text: line[m[6]:m[7]], URL: line[m[8]:m[9]]})
		}
		end = m[1]
	}
	if end < len(line) {
		all = append(all, span{Kind: "text", Text: line[end:]})
	}
	return all
}
