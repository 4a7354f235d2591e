package backoffice

import "net/http"

// Texts are all texts of the pages in one language. Those of faults come from the use cases.
type Texts struct {
	Language string // its tag
	Name     string // of the pages
	Skip     string
	Menu     string
	Sections map[string]string // by their paths
	Logout   string
	Times    string // the zone follows

	Forged, NoPage, NotStaff, Failed, TimedOut string
	RetryAfter                                 string // the time follows
	Titles                                     map[int]string
	Problems                                   string            // title of a form that was refused
	Done                                       map[string]string // what a form has done
	Pages, Previous, Next, PageOf              string
	Keys                                       string
	KeyHelp                                    []Key

	Login LoginTexts
	Money MoneyTexts
}

// Key is a keyboard shortcut.
type Key struct{ Keys, Does string }

// LoginTexts are the texts of the login.
type LoginTexts struct{ Title, Username, UsernameHint, Password, Submit, Lead string }

// MoneyTexts are the texts of the section money.
type MoneyTexts struct {
	Lists                                                             map[string]string // titles by their keys
	Hints                                                             map[string]string
	States                                                            map[string]string // of orders, payments and refunds
	Noted                                                             map[string]string // kinds of journal entries
	ListsTitle, Search, SearchHint, SearchButton                      string
	NotFound, NothingFound, Empty                                     string
	Order, Payment, Refund                                            string // with their numbers
	What, State, User, Subject, Amount, When, Refunded, Left          string
	Created, Expires, Paid, Received, Transaction, WalletNo, NoOrder  string
	Payments, NoPayments, Timeline, Refunds, NoRefunds, Reason, By    string
	ToRefund, RefundTitle, RefundReason, ReasonHint, RefundAmount     string
	NoAmount, TooMuch, Continue, Confirm, ConfirmText, Really, Change string
	Expired, ByStaff, ByCommand, ByServer, NothingLeft                string
}

// English are the texts in English.
var English = Texts{
	Language: "en", Name: "Plaza back office", Skip: "Skip to the content", Menu: "Sections",
	Sections: map[string]string{"money": "Money"},
	Logout:   "Log out", Times: "Times are in",
	Forged: "This form is out of date, or it came from elsewhere. Nothing was changed. Go back, load the page again, and send it once more.",
	NoPage: "There is no such page.", NotStaff: "This account does not work in the back office.",
	Failed: "Something went wrong on the server. Its log says what.", TimedOut: "This took too long. Try again in a moment.",
	RetryAfter: "(in %v)",
	Titles: map[int]string{
		http.StatusForbidden: "Not allowed", http.StatusNotFound: "Not found", http.StatusTooManyRequests: "Too many requests",
		http.StatusInternalServerError: "Something went wrong", http.StatusServiceUnavailable: "Not possible now",
		http.StatusConflict: "Not possible", http.StatusBadRequest: "Not possible", http.StatusUnauthorized: "Log in",
		http.StatusBadGateway: "The wallet fails", http.StatusGatewayTimeout: "This took too long", http.StatusRequestEntityTooLarge: "Too large",
	},
	Problems: "Please correct this:",
	Done:     map[string]string{"refund": "The refund was ordered."},
	Pages:    "Pages", Previous: "Previous", Next: "Next", PageOf: "Page %d of %d; %d in all",
	Keys: "Keyboard shortcuts",
	KeyHelp: []Key{
		{"1 2 3 …", "go to a section"}, {"/", "search"}, {"j k", "next and previous line of a list"}, {"Enter", "open it"}, {"?", "show or hide this"},
	},
	Login: LoginTexts{
		Title: "Log in", Username: "Phone number", UsernameHint: "Like +86-13800000001", Password: "Password", Submit: "Log in",
		Lead: "For accounts that work in the back office.",
	},
	Money: MoneyTexts{
		Lists: map[string]string{
			"due": "To be refunded", "disputed": "In doubt", "abnormal": "Refunds that went wrong", "processing": "Refunds in progress",
			"applied": "Payments", "refunds": "Refunds", "open": "Open orders", "paid": "Paid orders", "closed": "Closed orders",
		},
		Hints: map[string]string{
			"due":        "Payments for orders that needed none: most came in twice, or after the order had ended. The money belongs to the payer.",
			"disputed":   "Payments that do not match their order, or belong to no order. Compare them with the wallet before you refund them.",
			"abnormal":   "The money left and did not arrive, or the wallet contradicts itself. See to these at the wallet.",
			"processing": "The wallet has these, or is asked again until it has answered.",
		},
		States: map[string]string{
			"open": "open", "paid": "paid", "closed": "closed", "applied": "paid the order", "refund_due": "to be refunded", "disputed": "in doubt",
			"processing": "in progress", "succeeded": "refunded", "abnormal": "went wrong",
		},
		Noted: map[string]string{
			"ordered": "Ordered", "sending": "The wallet is asked to take the payment", "prepared": "The wallet waits for the payer",
			"unanswered": "The wallet gave no answer", "closing": "The wallet is asked to take no payment", "kept": "The wallet goes on waiting for the payer",
			"closed": "The wallet takes no payment any more", "paid": "Paid", "refund due": "Money came in that the order did not need",
			"disputed": "Money came in that does not match", "expired": "The order has ended", "refund requested": "Refund ordered",
			"refund unanswered": "The wallet has not taken the refund yet", "refund processing": "The refund is in progress", "refunded": "Refunded",
			"refund closed": "The refund ended; nothing was returned", "refund abnormal": "The refund went wrong",
		},
		ListsTitle: "Lists", Search: "Find an order or a payment", SearchHint: "Number of the order, or the wallet’s number of the payment", SearchButton: "Find",
		NotFound: "Not found", NothingFound: "No order and no payment has this number.", Empty: "Nothing here.",
		Order: "Order %d", Payment: "Payment %d", Refund: "Refund %d",
		What: "What", State: "State", User: "Person", Subject: "Subject", Amount: "Amount", When: "When", Refunded: "Refunded", Left: "Left",
		Created: "Ordered", Expires: "Expires", Paid: "Paid", Received: "Received", Transaction: "Number at the wallet", WalletNo: "Number of the prepayment",
		NoOrder:  "none",
		Payments: "Payments", NoPayments: "No payment came in.", Timeline: "What happened", Refunds: "Refunds", NoRefunds: "Nothing was refunded.",
		Reason: "Reason", By: "By",
		ToRefund: "Refund…", RefundTitle: "Refund this payment", RefundReason: "Reason", ReasonHint: "The payer may see it. At most 80 bytes.",
		RefundAmount: "Amount", NoAmount: "Enter an amount like 12.50.", TooMuch: "At most %s is left of this payment.",
		Continue: "Continue", Confirm: "Refund %s now", ConfirmText: "The wallet returns %s to the payer. This cannot be undone.", Really: "Refund this?",
		Change:  "Change it",
		Expired: "expired", ByStaff: "staff %d", ByCommand: "the command line", ByServer: "the server itself", NothingLeft: "All of it is refunded.",
	},
}
