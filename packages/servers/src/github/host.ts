/** What the tools of the github server have in common: the service, the repositories they may touch, and how they answer. */

import { type AskingContext, result, text } from '@portico/sdk/server'
import { notice, slice, UNTRUSTED } from '../text/foreign-text.ts'
import { toLine } from '../vendor/values.ts'
import type { VendorAnswer, VendorService } from '../vendor/vendor-service.ts'
import type { RepositoryRule } from './repository-rule.ts'

export interface GithubHost {
  readonly service: VendorService
  readonly rule: RepositoryRule
  readonly allowUnasked: boolean
  /** Characters of one answer; what is longer comes in parts. */
  readonly maxCharacters: number
}

export type Context = AskingContext

/** Text that others wrote, under a line that says so; what is too long says how to get the rest. */
export function foreign({ service, maxCharacters }: GithubHost, shown: string, start = 0): ReturnType<typeof result> {
  const part = slice(shown, start, maxCharacters)
  const more = part.next === undefined ? '' : `\n\n[There is more: ask again with start ${part.next}.]`
  const words = part.text === '' ? 'Nothing.' : part.text
  return result({ content: [text(`${notice(service.host)}\n\n${words}${more}`)], _meta: UNTRUSTED })
}

/** A page of rows, with the number of the next page where there is one. */
export function rows(host: GithubHost, answer: VendorAnswer, lines: readonly string[], page: number) {
  const more = /rel="next"/.test(answer.header('link') ?? '') ? `\n[More: page ${page + 1}.]` : ''
  return foreign(host, `${lines.length === 0 ? 'Nothing found.' : lines.join('\n')}${more}`)
}

export function login(user: unknown): string {
  const name = typeof user === 'object' && user !== null && 'login' in user ? user.login : undefined
  return toLine(name, 40) || 'nobody'
}

export function day(time: unknown): string {
  return toLine(time, 30).slice(0, 10)
}
