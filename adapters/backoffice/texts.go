package backoffice

import (
	"net/http"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/imported"
	"plaza/domain/moderation"
	"plaza/domain/payment"
)

// Texts are all texts of the pages in one language. Those of faults come from the use cases.
type Texts struct {
	Name     string // of the pages
	Skip     string
	Menu     string
	Sections map[string]string // by their paths
	Logout   string
	Times    string // with the zone

	Forged, NoPage, NotStaff, Failed, TimedOut string
	RetryAfter                                 string // the time follows
	Titles                                     map[int]string
	Problems                                   string            // title of a form that was refused
	Done                                       map[string]string // what a form has done
	Pages, Previous, Next, PageOf              string
	List                                       ListTexts
	Keys                                       string
	KeysOn                                     string
	KeyHelp                                    []Key

	Login    LoginTexts
	Factor   FactorTexts
	Overview OverviewTexts
	Money    MoneyTexts
	People   PeopleTexts
	Imports  ImportsTexts
	Reports  ReportsTexts
	Audit    AuditTexts
}

// Key is a keyboard shortcut.
type Key struct{ Keys, Does string }

// LoginTexts are the texts of the login.
type LoginTexts struct {
	Title, Username, UsernameHint, Password, Submit, Lead string
	OTP, OTPHint                                          string
	Ended, EndedTyped, TypedAgain                         string // of a session that has ended
}

// FactorTexts are the texts of the page that sets up a second factor.
type FactorTexts struct{ Title, Lead, Picture, Secret, Code, Submit, Done, Recovery, Continue string }

// OverviewTexts are the texts of the overview.
type OverviewTexts struct {
	Waits, Budgets, Jobs, NoJobs, JobFails, Days            string
	Waiting, Plots                                          map[string]string
	AtLeast, PlotLabel, Today, PlotTotal                    string
	Translator, NoTranslator, Messages, Left, Used, NoLimit string
}

// ListTexts are the texts of the forms of lists.
type ListTexts struct {
	Filter, From, To, Sort, Size, Show, CSV, CSVHint, Picture, Any string
	Sorts                                                          map[string]string
}

// PeopleTexts are the texts of the section people.
type PeopleTexts struct {
	Title, Search, SearchHint, SearchButton, NoneFound               string
	Name, UID, Phone, State, Joined, Seen, Never, Scopes, Sessions   string
	Enabled, Disabled, Roles, NoRoles, ActsTitle, Reason, ReasonHint string
	Back, Self, OtherUID                                             string
	Fields, FieldHints                                               map[string]string // of forms of acts
	Acts                                                             map[string]ActTexts
	Lists                                                            map[string]string // titles by their names
	States                                                           map[string]string // of what people have
	RoleNames                                                        map[access.Role]string
	All, None, Author, Plates, Comments, NoPlates, NoComments        string
}

// ActTexts are the texts of what is done to an account.
type ActTexts struct{ Title, Link, Effect, Button string }

// ImportsTexts are the texts of the section imports.
type ImportsTexts struct {
	Run, State, Files, Began, Ended, Lines, Stored, Counts, Rejected, Replaced, NoRuns string
	States                                                                             map[imported.RunState]string
	Rejects, NoRejects, Download, Line, Reason, File, Kept                             string
	HowTos, NoHowTos, Category, User, Bundles, Created, Updated                        string
	Hint                                                                               string
}

// ReportsTexts are the texts of the section reports.
type ReportsTexts struct {
	Lists, Open, Decided, NoneOpen, NoneDecided                    string
	Kind, Why, Age                                                 string
	KindNames                                                      map[moderation.Kind]string
	Kinds                                                          map[moderation.Kind]string // with the number
	Reasons                                                        map[moderation.Reason]string
	Times                                                          string            // a reason, and how many people have it
	Ages                                                           map[string]string // by their hours
	AsReported, ReportedLater, AsNow, Unchanged, Formatted         string
	By, OnEvent, Before, Says, Reported, Hidden, Shown, Day, Draft string
	Permissions                                                    map[int]string
	Outcomes                                                       map[moderation.Outcome]string
	Deleted, Uncover, Picture, Lost, Person, Unknown, Disable      string
	Reason, ReasonHint, Unreported, Number, NumberHint             string
	Buttons                                                        map[string]string // by their acts
}

// AuditTexts are the texts of the section audit.
type AuditTexts struct {
	What, On, By, When, Reason, None, ByHint, About string
	CommandLine                                     string // the name of the person precedes
	Acts                                            map[audit.Act]string
	Objects                                         map[audit.Kind]string
}

// MoneyTexts are the texts of the section money.
type MoneyTexts struct {
	Lists                                                             map[string]string // titles by their keys
	Hints                                                             map[string]string
	States                                                            map[string]string // of orders, payments and refunds
	Noted                                                             map[string]string // kinds of journal entries
	Details                                                           map[string]string // what the journal and findings say
	ListsTitle, Search, SearchHint, SearchButton                      string
	NotFound, NothingFound, Empty, Results, OfPerson, Everyones       string
	Order, Payment, Refund                                            string // with their numbers
	What, State, User, Subject, Amount, When, Refunded, Left          string
	Created, Expires, Paid, Received, Transaction, WalletNo, NoOrder  string
	Payments, NoPayments, Timeline, Refunds, NoRefunds, Reason, By    string
	ToRefund, RefundTitle, RefundReason, ReasonHint, RefundAmount     string
	NoAmount, TooMuch, Continue, Confirm, ConfirmText, Really, Change string
	Expired, ByCommand, ByServer, NothingLeft                         string
	OrderAmount, OrderHours, Close, CloseEffect, CloseNow             string
	Differences                                                       map[payment.FindingKind]string
	FindingStates                                                     map[payment.FindingState]string
	Day, Expected, Found, Settle, Settled                             string // of findings
}

// English are the texts in English.
var English = Texts{
	Name: "Plaza back office", Skip: "Skip to the content", Menu: "Sections",
	Sections: map[string]string{"overview": "Overview", "money": "Money", "people": "People", "reports": "Reports", "imports": "Imports",
		"audit": "Audit"},
	Logout: "Log out", Times: "Times are in %s.",
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
	Done: map[string]string{
		"refund": "The refund was ordered.", "disable": "The account is disabled.", "enable": "The account is enabled.",
		"rights": "The rights were changed.", "sessions": "All sessions have ended.",
		"order": "The order was created.", "close": "The order is closed.", "phone": "The phone number was changed.",
		"password": "A code for a new password is on its way to the person’s phone number.",
		"erase":    "The account is closed, and the data of the person is being erased.",
		"settle":   "The difference is settled.", "hide": "It is hidden.", "dismiss": "The report is dismissed.", "restore": "It is shown again.",
	},
	List: ListTexts{
		Filter: "Filter, sort, download", From: "From", To: "To", Sort: "Order", Size: "Lines on a page", Show: "Show", Any: "any",
		CSV:     "Download as CSV",
		CSVHint: "The first 10,000 of the list. Narrow it by its days for the others.", Picture: "Picture",
		Sorts: map[string]string{"newest": "newest first", "oldest": "oldest first",
			"amount": "greatest amount first"},
	},
	Pages: "Pages", Previous: "Previous", Next: "Next", PageOf: "Page %d of %d; %d in all",
	Keys: "Keyboard shortcuts", KeysOn: "Use these keys in this browser",
	KeyHelp: []Key{
		{"1 2 3 …", "go to a section"}, {"/", "search"}, {"j k", "next and previous line of a list"}, {"Enter", "open it"},
		{"h d r", "hide, dismiss or restore what is reported: type the reason, and press Enter"}, {"?", "show or hide this"},
	},
	Login: LoginTexts{
		Title: "Log in", Username: "Phone number", UsernameHint: "Like +86-13800000001", Password: "Password", Submit: "Log in",
		Lead:       "For accounts that work in the back office.",
		Ended:      "Your session has ended.",
		EndedTyped: "Your session had ended when you sent the form. Nothing was changed. Log in, and the form comes back with what you entered.",
		OTP:        "Code", OTPHint: "From your app, or a recovery code. Leave it empty at the first login.",
		TypedAgain: "This is the form that you sent when your session had ended. Nothing was changed: check it, and send it again.",
	},
	Factor: FactorTexts{
		Title: "Set up a second factor", Picture: "QR code with the key", Secret: "Or enter this key:", Code: "Code", Submit: "Confirm",
		Lead: "The back office needs a code besides the password. Scan this with an authenticator app, and enter the code that it shows.",
		Done: "Keep these recovery codes", Continue: "Continue to the back office",
		Recovery: "Each replaces one code when your telephone is lost. They are not shown again.",
	},
	Money: MoneyTexts{
		Lists: map[string]string{
			"due": "To be refunded", "disputed": "Without a matching order", "abnormal": "Refunds that went wrong",
			"processing": "Refunds in progress",
			"applied":    "Payments of orders", "payments": "All payments", "refunds": "Refunds", "open": "Open orders",
			"unknown": "Without an answer of the wallet", "paid": "Paid orders",
			"closed": "Closed orders", "orders": "All orders", "findings": "Differences from bills",
		},
		Hints: map[string]string{
			"due":        "Payments for orders that needed none: most came in twice, or after the order had ended. The money belongs to the payer.",
			"disputed":   "Payments that do not match their order, or belong to no order. Compare them with the wallet before you refund them.",
			"abnormal":   "The money left and did not arrive, or the wallet contradicts itself. See to these at the wallet.",
			"processing": "The wallet has these, or is asked again until it has answered.",
			"unknown":    "Orders for which the wallet has not told whether they are paid. The server goes on asking.",
			"findings": "What the wallet’s bill of a day has and the orders here have not, or the other way round. " +
				"Settle one when the wallet and you agree about it.",
		},
		States: map[string]string{
			"open": "open", "paid": "paid", "closed": "closed", "applied": "paid the order", "refund_due": "to be refunded",
			"disputed": "without a matching order", "processing": "in progress", "succeeded": "refunded", "abnormal": "went wrong",
			"refunding": "refund ordered",
		},
		Noted: map[string]string{
			"ordered": "Ordered", "sending": "The wallet is asked to take the payment", "prepared": "The wallet waits for the payer",
			"unanswered": "The wallet gave no answer", "closing": "The wallet is asked to take no payment",
			"kept":   "The wallet goes on waiting for the payer",
			"closed": "The wallet takes no payment any more", "paid": "Paid", "refund due": "Money came in that the order did not need",
			"disputed": "Money came in that does not match", "expired": "The order has ended", "refund requested": "Refund ordered",
			"refund unanswered": "The wallet has not taken the refund yet", "refund processing": "The refund is in progress", "refunded": "Refunded",
			"refund closed": "The refund ended; nothing was returned", "refund abnormal": "The refund went wrong",
		},
		Details: map[string]string{
			"an unknown application": "an unknown application", "given back by the wallet": "given back by the wallet",
			"something else went wrong": "something else went wrong", "by the command line": "by the command line",
			"by the server itself": "by the server itself", "another merchant's": "another merchant’s", "no time": "no time",
			"the wallet reports another refund under this number": "the wallet reports another refund under this number",
			"it is too long, or has another number of values":     "it is too long, or has another number of values",
			"an unknown state":                     "an unknown state",
			"no number or no currency":             "no number or no currency",
			"a refund without a number or a state": "a refund without a number or a state",
			"no amount in yuan":                    "no amount in yuan",
		},
		ListsTitle: "Lists", Search: "Find money",
		SearchHint:   "Number of the order, the wallet’s number of the payment, or who paid: phone number, uid or name",
		SearchButton: "Find",
		NotFound:     "Not found", NothingFound: "No order, no payment and no person has this number or name.",
		Results: "Found", OfPerson: "Money of", Everyones: "Show everyone’s", Empty: "Nothing here.",
		Order: "Order %d", Payment: "Payment %d", Refund: "Refund %d",
		What: "What", State: "State", User: "Person", Subject: "Subject", Amount: "Amount", When: "When", Refunded: "Refunded", Left: "Left",
		Created: "Ordered", Expires: "Expires", Paid: "Paid", Received: "Received", Transaction: "Number at the wallet",
		WalletNo: "Number of the prepayment",
		NoOrder:  "none",
		Payments: "Payments", NoPayments: "No payment is recorded.", Timeline: "What happened", Refunds: "Refunds",
		NoRefunds: "Nothing was refunded.",
		Reason:    "Reason", By: "By",
		ToRefund: "Refund…", RefundTitle: "Refund this payment", RefundReason: "Reason",
		ReasonHint:   "The payer may see it. A short sentence, of at most 26 Chinese characters.",
		RefundAmount: "Amount", NoAmount: "Enter an amount like 12.50.", TooMuch: "At most %s is left of this payment.",
		Continue: "Continue", Confirm: "Refund %s now", ConfirmText: "The wallet returns %s to the payer. This cannot be undone.",
		Really:  "Refund this?",
		Change:  "Change it",
		Expired: "expired", ByCommand: "the command line", ByServer: "the server itself",
		NothingLeft: "All of it is refunded.",
		OrderAmount: "Enter an amount like 12.50, of at most %s.", OrderHours: "Enter whole hours, from 1 to %d.",
		Close: "Close this order…", CloseEffect: "The wallet takes no payment for it any more. This cannot be undone.",
		CloseNow: "Close the order",
		Differences: map[payment.FindingKind]string{
			payment.FoundUnknownHere: "A payment that only the bill has", payment.FoundUnknownThere: "A payment that the bill has not",
			payment.FoundAmount: "Another amount", payment.FoundRefund: "A refund that differs",
		},
		FindingStates: map[payment.FindingState]string{payment.FindingOpen: "open", payment.FindingResolved: "settled"}, Settled: "settled",
		Day: "Day of the bill", Expected: "Here", Found: "In the bill", Settle: "Settle it",
	},
	Overview: OverviewTexts{
		Waits: "What waits", Budgets: "Budgets of today", Jobs: "Background jobs", NoJobs: "All background jobs of this server work.",
		JobFails: "%d failures, the first at", Days: "The last 14 days",
		Waiting: map[string]string{
			"reports": "Open reports", "due": "Payments to be refunded", "disputed": "Payments that match no order",
			"abnormal": "Refunds that went wrong", "processing": "Refunds in progress", "open": "Open orders",
			"unknown": "Payments without an answer of the wallet", "findings": "Differences from the wallet’s bills",
			"rejects": "Imports with rejected lines, in 7 days",
		},
		Plots:   map[string]string{"joined": "People who joined", "events": "Events", "comments": "Comments"},
		AtLeast: "%d or more", PlotLabel: "%s by day since %s: %d in all, %d today", Today: "%d today", PlotTotal: "%d in 14 days",
		Translator: "Translator %s", NoTranslator: "No translator", Messages: "Messages with codes", Left: "%d of %d left", Used: "%d used",
		NoLimit: "no limit",
	},
	People: PeopleTexts{
		Title: "People", Search: "Find people", SearchHint: "Phone number like +86-13800000001, uid, or a name", SearchButton: "Find",
		NoneFound: "Nobody was found.",
		Name:      "Name", UID: "uid", Phone: "Phone number", State: "Account", Joined: "Joined", Seen: "Last seen", Never: "never",
		Scopes:   "Scopes",
		Sessions: "Sessions", Enabled: "enabled", Disabled: "disabled", Roles: "Roles in the back office",
		NoRoles: "none",
		RoleNames: map[access.Role]string{access.Moderator: "moderator", access.Cashier: "cashier", access.Support: "support",
			access.Admin: "admin", "any": "any role"},
		Lists: map[string]string{
			"orders": "Orders", "payments": "Payments", "refunds": "Refunds", "events": "Events", "comments": "Comments", "images": "Images",
			"cases": "Open reports about them", "decided": "Decided reports about them", "reports": "Reports by them",
			"hidden": "Hidden by staff", "sessions": "Sessions", "acts": "What staff did about them",
		},
		States: map[string]string{
			"hidden": "hidden", "draft": "a draft", "contacts": "for contacts", "private": "private", "valid": "valid", "ended": "ended",
			"taken_down": "taken down", "dismissed": "dismissed", "account_disabled": "account disabled", "undecided": "not decided",
		},
		All: "All…", None: "None.", Author: "By", Plates: "Plates", Comments: "Comments", NoPlates: "It has no plates.",
		NoComments: "It has no comments.",
		ActsTitle:  "Change this account", Reason: "Reason", ReasonHint: "Colleagues read it later. At most 500 characters.",
		Back: "Leave it", Self: "This is your own account.",
		OtherUID: "This is not the uid of the person.",
		Fields: map[string]string{"amount": "Amount", "subject": "Subject", "hours": "Hours until it expires", "username": "New phone number",
			"uid": "The uid of the person, to confirm"},
		FieldHints: map[string]string{"amount": "In yuan, like 12.50", "subject": "What the person pays for, as the wallet shows it",
			"hours": "Whole hours", "username": "Like +86-13800000001", "uid": "It stands above."},
		Acts: map[string]ActTexts{
			"disable": {"Disable this account?", "Disable…", "The person cannot log in, and all sessions stop working. What they wrote stays.",
				"Disable the account"},
			"enable": {"Enable this account?", "Enable…", "The person can log in again, and sessions that have not expired work again.",
				"Enable the account"},
			"rights": {"Change the rights of this account?", "Change rights…",
				"Sessions lose rights that are taken away at once.", "Change the rights"},
			"order": {"Create an order?", "Create an order…", "The person can pay it in the wallet until it expires.", "Create the order"},
			"phone": {"Change the phone number?", "Change the phone number…",
				"The person logs in with the new number. All sessions end, and the former number is told.", "Change the number"},
			"password": {"Send a code for a new password?", "New password…",
				"The person gets a code by SMS, and sets a password with it in the app within ten minutes. Nobody else learns either.",
				"Send the code"},
			"export": {"Export all data of this person?", "Export…",
				"Only because the person asked for it. Give the file to nobody else.", "Download the data"},
			"erase": {"Erase this person?", "Erase…", "Only because the person asked for it. What they wrote and their pictures are deleted; " +
				"of payments, amounts and numbers stay. This cannot be undone.", "Erase the person"},
			"sessions": {"End all sessions of this account?", "End sessions…", "The person has to log in again everywhere.", "End all sessions"},
		},
	},
	Imports: ImportsTexts{
		Run: "Import %d", State: "State", Files: "Files", Began: "Began", Ended: "Ended", Lines: "Lines", Stored: "Stored",
		Counts: "%d new, %d changed, %d unchanged", Rejected: "Rejected", Replaced: "Replaced", NoRuns: "Nothing was imported so far.",
		States: map[imported.RunState]string{"unfinished": "not finished: it reads still, or was killed; the same command resumes it",
			"completed": "completed", "interrupted": "interrupted; the same command resumes it", "failed": "failed"},
		Rejects: "Rejected lines", NoRejects: "No line was rejected.", Download: "Download as CSV", Line: "Line", Reason: "Reason", File: "File",
		Kept:   "The first 1000 are kept here. The files of rejects beside the imported files have all of them, with their lines.",
		HowTos: "Imported how-tos", NoHowTos: "No how-tos were imported.", Category: "Category", User: "Account",
		Bundles: "Bundles",
		Created: "Imported", Updated: "Changed", Hint: "Imports are started at the command line: plaza import.",
	},
	Reports: ReportsTexts{
		Lists: "Lists", Open: "Open", Decided: "Decided", NoneOpen: "No report is open.", NoneDecided: "No report was decided so far.",
		Kind: "What", Why: "Why", Age: "First reported",
		KindNames: map[moderation.Kind]string{
			moderation.Event: "event", moderation.Comment: "comment", moderation.Image: "image", moderation.Person: "person",
			moderation.Plate: "plate", moderation.Profile: "profile", moderation.Publication: "publication", moderation.Node: "node",
			moderation.Demand: "demand",
		},
		Kinds: map[moderation.Kind]string{
			moderation.Event: "Event %d", moderation.Comment: "Comment %d", moderation.Image: "Image %d", moderation.Person: "Person %d",
			moderation.Plate: "Plate %d", moderation.Profile: "Profile of account %d",
			moderation.Publication: "Publication %d", moderation.Node: "Node %d", moderation.Demand: "Demand %d",
		},
		Reasons: map[moderation.Reason]string{
			moderation.Spam: "spam", moderation.Abuse: "abuse", moderation.Illegal: "illegal", moderation.Other: "another reason",
		},
		Times: "%s × %d", Ages: map[string]string{"24": "more than a day ago", "72": "more than 3 days ago", "168": "more than a week ago"},
		AsReported: "As it was reported", ReportedLater: "Reported once more, changed", AsNow: "As it is now",
		Unchanged: "As it was reported, and still is", Formatted: "Formatted text",
		By: "Author", OnEvent: "On event %d", Before: "The comments before it, the latest first:", Says: "Report", Reported: "Reported",
		Hidden: "hidden", Shown: "shown", Day: "Day", Draft: "a draft",
		Permissions: map[int]string{0: "for everyone", 100: "for contacts", 200: "private"},
		Outcomes: map[moderation.Outcome]string{
			moderation.OutcomeHidden: "Hidden", moderation.OutcomeDismissed: "Dismissed", moderation.OutcomeDisabled: "Account disabled",
		},
		Deleted: "It was deleted.", Uncover: "Show this picture", Picture: "A reported picture", Lost: "The file is lost.", Person: "Person",
		Unknown: "an erased person", Disable: "Disable the account…",
		Reason: "Reason", ReasonHint: "Its author reads why it is hidden, and colleagues read every reason. At most 500 characters.",
		Unreported: "Hide something without a report", Number: "Its number",
		NumberHint: "Of a profile, the uid. Or the address of its picture.",
		Buttons:    map[string]string{"hide": "Hide it", "dismiss": "Dismiss the report", "restore": "Show it again"},
	},
	Audit: AuditTexts{
		What: "Act", On: "On", By: "By", When: "When", Reason: "Reason", None: "Nothing is recorded.",
		ByHint: "uid, or the name at the command line", About: "About (uid)", CommandLine: "%s, at the command line",
		Acts: map[audit.Act]string{
			audit.AccountCreated: "created an account", audit.AccountDisabled: "disabled the account", audit.AccountEnabled: "enabled the account",
			audit.AccountErased: "erased the person", audit.AccountExported: "exported the person’s data", audit.PasswordSet: "set the password",
			audit.PhoneSet: "set the phone number", audit.ScopesSet: "changed the rights", audit.StaffGranted: "gave access to the back office",
			audit.StaffRevoked: "took the back office away", audit.TokenIssued: "issued a token", audit.TokenRevoked: "revoked a token",
			audit.SecondFactorEnrolled: "set up a second factor", audit.RecoveryCodeUsed: "used a recovery code",
			audit.SecondFactorReset: "removed the second factor",
			audit.SessionsEnded:     "ended all sessions", audit.OrderCreated: "created an order", audit.OrderClosed: "closed an order",
			audit.FindingSettled: "settled a difference", audit.PasswordCodeSent: "sent a code for a new password",
			audit.RefundOrdered:  "ordered a refund",
			audit.BillReconciled: "compared a bill of the wallet", audit.Imported: "imported files", audit.DemoLoaded: "loaded the demo data",
			audit.DemoRemoved: "removed the demo data", audit.Repaired: "repaired derived data", audit.SchemaMigrated: "migrated the database",
			audit.BackedUp: "copied the database", audit.PicturesAdopted: "gave the pictures to the database",
			audit.Hidden: "hid", audit.Restored: "restored", audit.ReportDecided: "dismissed a report",
		},
		Objects: map[audit.Kind]string{
			audit.Account: "account", audit.Token: "token", audit.Order: "order", audit.Payment: "payment", audit.Refund: "refund",
			audit.Report: "report", audit.Event: "event", audit.Comment: "comment", audit.Image: "image", audit.Plate: "plate",
			audit.Profile: "profile of account", audit.Publication: "publication", audit.Node: "node", audit.Demand: "demand",
			audit.Bill: "bill of", audit.Finding: "difference", audit.File: "file", audit.Database: "database",
		},
	},
}
