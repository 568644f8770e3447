/** What became of calls, counted: the columns of every table of faults. */

/** The columns, in order. The last five are of what must never happen. */
export const ACCOUNT_COLUMNS = ['sent', 'answered', 'failed', 'lost', 'wrong', 'doubled', 'untrue', 'hung'] as const

/** Those that must be 0: a call without a true end, with another's answer, run twice, told wrongly, or never told. */
export const ACCOUNT_FAULTS = ['lost', 'wrong', 'doubled', 'untrue', 'hung'] as const

/**
 * Calls `sent`, `answered`, `failed` with an error that says what it is, `lost` (no such end), `wrong` (an answer to another
 * call, or half of one), `doubled` (run twice unasked), `untrue` (about whether it was delivered), `hung` (not told in time).
 */
export type Account = { [column in (typeof ACCOUNT_COLUMNS)[number]]: number }

/**
 * An account of nothing yet.
 *
 * @example
 * ```ts
 * import { createAccount } from '@portico/sdk/testing/faults'
 *
 * const account = createAccount()
 * account.sent++
 * ```
 */
export function createAccount(): Account {
  return { sent: 0, answered: 0, failed: 0, lost: 0, wrong: 0, doubled: 0, untrue: 0, hung: 0 }
}

/**
 * Adds one account to another.
 *
 * @example
 * ```ts
 * import { addAccount, createAccount } from '@portico/sdk/testing/faults'
 *
 * const total = createAccount()
 * addAccount(total, { ...createAccount(), sent: 32, answered: 32 })
 * ```
 */
export function addAccount(total: Account, more: Account): void {
  for (const column of ACCOUNT_COLUMNS) total[column] += more[column]
}

/**
 * Whether nothing happened that must not.
 *
 * @example
 * ```ts
 * import { createAccount, isClean } from '@portico/sdk/testing/faults'
 *
 * console.log(isClean(createAccount()))
 * ```
 */
export function isClean(account: Account): boolean {
  return ACCOUNT_FAULTS.every((column) => account[column] === 0)
}
