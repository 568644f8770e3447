/** What the tools of the github server have in common besides what those of every vendor have. */

import { ToolError } from '@portico/sdk/server'
import { toLine } from '../vendor/values.ts'
import { rows as rowsOf, type VendorHost } from '../vendor/vendor-host.ts'
import type { VendorPath } from '../vendor/vendor-path.ts'
import type { Patience, VendorAnswer } from '../vendor/vendor-service.ts'
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
  return rowsOf(host, lines, { next: isMore(answer) ? `page ${page + 1}` : undefined, start })
}

/** What GitHub calls the text of a file. Its name ends as that of JSON does, and so does the type of what it answers. */
export const RAW = { accept: 'application/vnd.github.raw+json', as: 'text' } as const

/** The text of a file, at a branch, a tag or a commit where one is given. */
export async function readFile(
  host: GithubHost,
  place: VendorPath,
  ref: string | undefined,
  ctx: Patience,
): Promise<string> {
  const { text, isText } = await host.service.send(place, { ...RAW, query: { ref } }, ctx)
  if (!isText) throw new ToolError('The file is not text.')
  return text
}

export function login(user: unknown): string {
  const name = typeof user === 'object' && user !== null && 'login' in user ? user.login : undefined
  return toLine(name, 40) || 'nobody'
}

export function day(time: unknown): string {
  return toLine(time, 30).slice(0, 10)
}
