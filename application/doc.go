// Package application is the layer of the use cases, one package per activity:
//
//	browsing      the home feed
//	cleanup       files of deleted pictures, and files checked against records
//	diary         events: writing, showing and discussing them
//	following     subscriptions to people and categories
//	importing     imported records
//	paying        orders and their payment with the mobile wallet
//	people        profiles and avatars
//	places        stored places of events, checked against their texts
//	privacy       export and erasure of all that is stored of a person
//	reading       publications, in the reader's language
//	reconciling   the wallet's daily bills, compared with the ledger
//	refunding     refunds, followed at the wallet
//	signin        accounts, logins and keys
//	translation   translations for readers: cached, within a budget
//	userimages    users' tagged images
//
// Beneath them are packages without a use case, which adapters know too:
//
//	admission     how many hash a password or decode a picture at once
//	catalogue     what clients and SMS are told, in other languages
//	store         the ports of one store
//	telemetry     what operators watch of the stored state
//
// A use case decides who may act, and the order of checks and steps; the domain has the rules. It imports the domain
// and these only, no adapter and no other use case. The actor is an argument. It calls no store from inside the function that it
// gives to a Change of that store.
//
// The tests of the use cases are in test/usecases: a program for each package here would link the same in-memory store
// again. A test that needs no adapter may stand beside the code.
package application
