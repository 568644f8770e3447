/**
 * `@portico/sdk/testing`: try a server out in memory, and the suites that every implementation of an interface passes. For
 * any test runner: what goes wrong is thrown.
 */

export { channelContract } from '../testing/channel-contract.ts'
export { createClock, type TestClock } from '../testing/clock.ts'
export type { ContractCase } from '../testing/contract.ts'
export { eventStoreContract } from '../testing/event-store-contract.ts'
export { type PropertyOptions, type PropertyReport, propertyCalls } from '../testing/property-calls.ts'
export { roundStoreContract } from '../testing/round-store-contract.ts'
export type { Answers, Asked, ElicitAnswer, ElicitFunction, SampleAnswer, SampleFunction } from '../testing/script.ts'
export { stateBusContract } from '../testing/state-bus-contract.ts'
export { stateStoreContract } from '../testing/state-store-contract.ts'
export type { StoredDamage } from '../testing/state-store-damage.ts'
export { type EraOptions, eachEra, type TestClient, type TestOptions, testClient } from '../testing/test-client.ts'
export { tokenStoreContract } from '../testing/token-store-contract.ts'
