/** What the tools of the github server have in common besides what those of every vendor have. */

import { toLine } from '../vendor/values.ts'
import { foreign, type VendorHost } from '../vendor/vendor-host.ts'
import type { VendorAnswer } from '../vendor/vendor-service.ts'
import type { RepositoryRule } from './repository-rule.ts'

export interface GithubHost extends VendorHost {
  readonly rule: RepositoryRule
}

/** Whether there is another page. */
export function isMore(answer: VendorAnswer): boolean {
  return /rel="next"/.test(answer.header('link') ?? '')
}

/** A page of rows, with the number of the next page where there is one. */
export function rows(
  host: GithubHost,
  answer: VendorAnswer,
  lines: readonly string[],
  { page, start }: { readonly page: number; readonly start: number | undefined },
) {
  const more = isMore(answer) ? `\n[More: page ${page + 1}.]` : ''
  return foreign(host, `${lines.length === 0 ? 'Nothing found.' : lines.join('\n')}${more}`, start)
}

export function login(user: unknown): string {
  const name = typeof user === 'object' && user !== null && 'login' in user ? user.login : undefined
  return toLine(name, 40) || 'nobody'
}

export function day(time: unknown): string {
  return toLine(time, 30).slice(0, 10)
}
