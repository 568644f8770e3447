/** The completers of one prompt or template, as `completion.ts` calls them. */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { requireOptions } from '../../jsonrpc/option-table.ts'
import { type CompleteResult, MAX_COMPLETIONS } from '../../protocol/completion.ts'
import { andThen } from '../call/method.ts'
import type { Completer, Completions } from '../items/item-options.ts'
import type { Completable } from './completion.ts'

/** A completer under a name that no argument has would never be asked. */
export function requireCompleters(owner: string, completers: unknown, names: readonly string[]): void {
  requireOptions(`${owner}, complete`, completers, Object.fromEntries(names.map((name) => [name, 'function'])))
}

export function toCompletion(completers: { readonly [name: string]: Completer } = {}): Completable['complete'] {
  if (Object.keys(completers).length === 0) return undefined
  return ({ name, value, context }, ctx) => {
    const completer = Object.hasOwn(completers, name) ? completers[name] : undefined
    if (completer === undefined) return { completion: { values: [] } }
    const chosen = isObject(context) && isObject(context.arguments) ? strings(context.arguments) : {}
    return andThen(completer(value, chosen, ctx), toCompleteResult)
  }
}

function toCompleteResult(completions: Completions): CompleteResult {
  const list: Exclude<Completions, readonly string[]> = isPlainList(completions) ? { values: completions } : completions
  const values = list.values.slice(0, MAX_COMPLETIONS)
  const total = list.total ?? (list.values.length > MAX_COMPLETIONS ? list.values.length : undefined)
  const hasMore = list.hasMore ?? list.values.length > MAX_COMPLETIONS
  return { completion: { values, ...(total !== undefined && { total }), ...(hasMore && { hasMore }) } }
}

function isPlainList(completions: Completions): completions is readonly string[] {
  return Array.isArray(completions)
}

function strings(source: JsonObject): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(source).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
