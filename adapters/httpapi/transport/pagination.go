package transport

import "plaza/domain/page"

// pagination is the pagination object of the interface (GEN-03).
type pagination struct {
	PageSize    int  `json:"page_size"`
	TotalCount  int  `json:"total_count"`
	TotalPages  int  `json:"total_pages"`
	CurrentPage int  `json:"current_page"`
	Next        *int `json:"next"`
	Previous    *int `json:"previous"`
}

func PaginationOf(r page.Request, total int) pagination {
	return pagination{
		PageSize: r.Size(), TotalCount: total, TotalPages: r.Pages(total), CurrentPage: r.Number(),
		Next: Optional(r.Next(total)), Previous: Optional(r.Previous()),
	}
}
