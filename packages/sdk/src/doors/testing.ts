/** `@portico/sdk/testing`: the suites that every implementation of an interface passes, for any test runner. */

export { type ContractCase, channelContract } from '../testing/channel-contract.ts'
