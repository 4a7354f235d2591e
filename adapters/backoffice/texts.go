package backoffice

import (
	"fmt"

	"plaza/application/catalogue"
)

// T returns the text in the language of the pages, with its values.
func (s *Site) T(english string, values ...any) string {
	text, _ := catalogue.Text(s.language, english)
	if len(values) > 0 {
		text = fmt.Sprintf(text, values...)
	}
	return text
}

// Word returns the text of the code in the language of the pages; empty: it has none.
func (s *Site) Word(of string, code any) string { return s.T(words[of][fmt.Sprint(code)]) }

// words are the texts of codes, by what the codes are of.
var words = map[string]map[string]string{
	"act": {
		"account_created": "created an account", "account_disabled": "disabled the account", "account_enabled": "enabled the account",
		"account_erased": "erased the person", "account_exported": "exported the person’s data", "password_set": "set the password",
		"password_code_sent": "sent a code for a new password", "phone_set": "set the phone number", "scopes_set": "changed the rights",
		"staff_granted": "gave access to the back office", "staff_revoked": "took the back office away", "token_issued": "issued a token",
		"token_revoked": "revoked a token", "sessions_ended": "ended all sessions", "second_factor_enrolled": "set up a second factor",
		"recovery_code_used": "used a recovery code", "second_factor_reset": "removed the second factor",
		"order_created": "created an order", "order_closed": "closed an order", "refund_ordered": "ordered a refund",
		"finding_settled": "settled a difference", "bill_reconciled": "compared a bill of the wallet", "imported": "imported files",
		"demo_loaded": "loaded the demo data", "demo_removed": "removed the demo data", "repaired": "repaired derived data",
		"schema_migrated": "migrated the database", "backed_up": "copied the database",
		"pictures_adopted": "gave the pictures to the database", "hidden": "hid", "restored": "restored", "report_decided": "dismissed a report",
	},
	"age":    {"24": "more than a day ago", "72": "more than 3 days ago", "168": "more than a week ago"}, // hours
	"button": {"hide": "Hide it", "dismiss": "Dismiss the report", "restore": "Show it again"},
	"difference": {
		"unknown_here": "A payment that only the bill has", "unknown_there": "A payment that the bill has not", "amount": "Another amount",
		"refund": "A refund that differs",
	},
	"done": { // by a form
		"refund": "The refund was ordered.", "disable": "The account is disabled.", "enable": "The account is enabled.",
		"rights": "The rights were changed.", "sessions": "All sessions have ended.", "order": "The order was created.",
		"close": "The order is closed.", "phone": "The phone number was changed.",
		"password": "A code for a new password is on its way to the person’s phone number.",
		"erase":    "The account is closed, and the data of the person is being erased.",
		"settle":   "The difference is settled.", "hide": "It is hidden.", "dismiss": "The report is dismissed.", "restore": "It is shown again.",
	},
	"list": { // of a person
		"orders": "Orders", "payments": "Payments", "refunds": "Refunds", "events": "Events", "comments": "Comments", "images": "Images",
		"cases": "Open reports about them", "decided": "Decided reports about them", "reports": "Reports by them", "hidden": "Hidden by staff",
		"sessions": "Sessions", "acts": "What staff did about them",
	},
	"noted": { // in the journal
		"ordered": "Ordered", "sending": "The wallet is asked to take the payment", "prepared": "The wallet waits for the payer",
		"unanswered": "The wallet gave no answer", "closing": "The wallet is asked to take no payment",
		"kept":   "The wallet goes on waiting for the payer",
		"closed": "The wallet takes no payment any more", "paid": "Paid", "refund due": "Money came in that the order did not need",
		"disputed": "Money came in that does not match", "expired": "The order has ended", "refund requested": "Refund ordered",
		"refund unanswered": "The wallet has not taken the refund yet", "refund processing": "The refund is in progress", "refunded": "Refunded",
		"refund closed": "The refund ended; nothing was returned", "refund abnormal": "The refund went wrong",
	},
	"numbered": {
		"event": "Event %d", "comment": "Comment %d", "image": "Image %d", "user": "Person %d", "plate": "Plate %d",
		"profile": "Profile of account %d", "publication": "Publication %d", "node": "Node %d", "demand": "Demand %d", "order": "Order %d",
		"payment": "Payment %d", "refund": "Refund %d",
	},
	"object": {
		"account": "account", "user": "person", "token": "token", "order": "order", "payment": "payment", "refund": "refund", "report": "report",
		"event": "event", "comment": "comment", "image": "image", "plate": "plate", "profile": "profile", "publication": "publication",
		"node": "node", "demand": "demand", "bill": "bill of", "finding": "difference", "file": "file", "database": "database",
	},
	"outcome":    {"hidden": "Hidden", "dismissed": "Dismissed", "account_disabled": "Account disabled"},
	"permission": {"0": "for everyone", "100": "for contacts", "200": "private"},
	"reason":     {"spam": "spam", "abuse": "abuse", "illegal": "illegal", "other": "another reason"},
	"rejected":   {"true": "Rejected lines"},
	"role":       {"moderator": "moderator", "cashier": "cashier", "support": "support", "admin": "admin", "any": "any role"},
	"sort":       {"newest": "newest first", "oldest": "oldest first", "amount": "greatest amount first"},
	"state": {
		"open": "open", "paid": "paid", "closed": "closed", "applied": "paid the order", "refund_due": "to be refunded",
		"disputed": "without a matching order", "processing": "in progress", "succeeded": "refunded", "abnormal": "went wrong",
		"refunding": "refund ordered", "resolved": "settled",
		"hidden": "hidden", "draft": "a draft", "contacts": "for contacts", "private": "private", "valid": "valid", "ended": "ended",
		"taken_down": "taken down", "dismissed": "dismissed", "account_disabled": "account disabled", "undecided": "not decided",
		"disabled":   "disabled",
		"unfinished": "not finished: it reads still, or was killed; the same command resumes it", "completed": "completed",
		"interrupted": "interrupted; the same command resumes it", "failed": "failed",
	},
}
