/** What the tools of every vendor's server have in common: the service, and how they answer and ask. */

import { type AskingContext, result, text } from '@portico/sdk/server'
import { requireConfirmation } from '../confirmation.ts'
import { framed, slice, UNTRUSTED } from '../text/foreign-text.ts'
import { spellHidden } from '../text/plain-text.ts'
import { toText } from './values.ts'
import type { VendorPath } from './vendor-path.ts'
import type { VendorAnswer, VendorRequest, VendorService } from './vendor-service.ts'

export interface VendorHost {
  readonly service: VendorService
  readonly allowUnasked: boolean
  /** Characters of one answer; what is longer comes in parts. */
  readonly maxCharacters: number
}

export type Context = AskingContext

/** Text that others wrote, between lines that say so; what is too long says how to get the rest, where they cannot write. */
export function foreign({ service, maxCharacters }: VendorHost, shown: string, start = 0): ReturnType<typeof result> {
  const part = slice(service.clean(shown), start, maxCharacters)
  const more = part.next === undefined ? '' : `\n\n[There is more: ask again with start ${part.next}.]`
  const words = part.text === '' ? 'Nothing.' : part.text
  return result({ content: [text(`${framed(service.host, words)}${more}`)], _meta: UNTRUSTED })
}

interface Rest {
  /** What to ask for to have the next page; nothing where this is the last. */
  readonly next: string | undefined
  readonly start: number | undefined
}

/** A page of rows that others wrote, and how to get the next. */
export function rows(host: VendorHost, lines: readonly string[], { next, start }: Rest): ReturnType<typeof result> {
  const more = next === undefined ? '' : `\n[More: ${next}]`
  return foreign(host, `${lines.join('\n') || 'Nothing found.'}${more}`, start)
}

/** Where the next page begins, in the words of a tool's argument; undefined where the service names nothing. */
export function nextPage(argument: string, value: unknown): string | undefined {
  const place = toText(value)
  return place === '' ? undefined : `${argument} ${place}`
}

/** The same for a resource, which is read at once. */
export function foreignText({ service, maxCharacters }: VendorHost, shown: string): string {
  const part = slice(service.clean(shown), 0, maxCharacters)
  const more = part.next === undefined ? '' : `\n\n[${part.length - part.end} characters more.]`
  return `${framed(service.host, part.text)}${more}`
}

interface Change {
  readonly question: string
  readonly method: 'POST' | 'PATCH' | 'PUT'
  readonly path: VendorPath
  readonly query?: VendorRequest['query']
  readonly body: object
  /** What the person is shown; all that is sent unless given. */
  readonly shown?: string
}

/** Asks, sends once, and gives what came back to `done`, which says in a line where it can be seen. */
export async function change(
  host: VendorHost,
  { question, method, path, query, body, shown }: Change,
  ctx: Context,
  done: (answer: VendorAnswer) => string,
) {
  const all = shown ?? toReadable(body)
  const asked = spellHidden(`${question} (${host.service.host})`)
  await requireConfirmation(ctx, asked, host.allowUnasked, spellHidden(all))
  // Answers may bring the handler here again; what was sent is not sent twice.
  const where = await ctx.step('sent', async () =>
    done(await host.service.send(path, { method, query: query ?? {}, body }, ctx)),
  )
  return result({ content: [text(`Done: ${where}`)] })
}

/** As JSON, with the line ends of its texts as such; a backslash before an "n" is none. */
function toReadable(body: object): string {
  return JSON.stringify(body, undefined, 2).replace(/\\(.)/g, (spelled, sign: string) =>
    sign === 'n' ? '\n' : spelled,
  )
}

/** A name or an id that decides where something goes, as a question shows it: whole, on one line, nothing hidden in it. */
export function whole(value: unknown): string {
  return spellHidden(JSON.stringify(toText(value)))
}

/** Every tool that shows what others wrote takes it: "There is more" has to be true. */
export const START_INPUT = { type: 'integer', minimum: 0, default: 0, description: '"start" of the next part' } as const

export const READS = { readOnly: true, idempotent: true, openWorld: true } as const
export const WRITES = { readOnly: false, destructive: false, idempotent: false, openWorld: true } as const
