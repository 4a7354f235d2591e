// Package application is the layer of the use cases, one package per activity, and of what adapters know of them: admission,
// catalogue, store and telemetry.
//
// A use case decides who may act, and the order of checks and steps; the domain has the rules. It imports the domain
// and these only, no adapter and no other use case. The actor is an argument. It calls no store from inside the function that it
// gives to a Change of that store.
//
// Each package says where its tests are: in test/contract, or in test/usecases, because a program for each package here would
// link the same in-memory store again. A test that needs no adapter may stand beside the code.
package application
