/**
 * The secrets that were given out since the program started, by value: a server that was handed one may quote it in an
 * error or a log line, and it must not be written down or shown from there.
 */

import type { InputSource } from '../command/inputs.ts'
import type { SecretSource } from './secret-store.ts'

export interface UsedSecrets {
  /** The sources, watched. */
  readonly secrets?: SecretSource
  readonly inputs?: InputSource
  values(): Iterable<string>
  /** The text without them. */
  hide(text: string): string
}

const MIN_CHARS = 6
const MAX_VALUES = 2_000
const HIDDEN = '[redacted]'

export function watchSecrets(sources: { readonly secrets?: SecretSource; readonly inputs?: InputSource }): UsedSecrets {
  const { secrets, inputs } = sources
  let used: string[] = []
  const note = (value: string | undefined): void => {
    if (value === undefined || value.length < MIN_CHARS || used.includes(value)) return
    // Of two of which one holds the other, the longer goes first.
    used = [...used, value].slice(-MAX_VALUES).sort((a, b) => b.length - a.length)
  }
  return {
    ...(secrets !== undefined && {
      secrets: {
        async get(name) {
          const value = await secrets.get(name)
          note(value)
          return value
        },
      },
    }),
    ...(inputs !== undefined && {
      inputs: {
        async value(id, file) {
          const answer = await inputs.value(id, file)
          if (answer?.secret === true) note(answer.value)
          return answer
        },
      },
    }),
    values: () => used,
    hide: (text) => used.reduce((clean, value) => clean.replaceAll(value, HIDDEN), text),
  }
}

type Hide = (text: string) => string

/** The same error, without the secrets in its words, its data and what caused it, for whoever it is shown to. */
export function hideInError(error: unknown, hide: Hide): unknown {
  for (let one: unknown = error, depth = 0; one instanceof Error && depth < MAX_DEPTH; one = one.cause, depth++) {
    const { message, stack } = one
    if (hide(message) !== message) {
      one.message = hide(message)
      if (stack !== undefined) one.stack = hide(stack)
    }
    const { data } = one as { readonly data?: unknown }
    const shown = hideIn(data, hide)
    if (shown !== data) Object.assign(one, { data: shown })
  }
  return error
}

/** Plain data without the secrets in its texts; the value itself where there are none. */
export function hideIn<Value>(value: Value, hide: Hide): Value {
  if (value === undefined) return value
  const text = JSON.stringify(value, (_name, one) => (typeof one === 'string' ? hide(one) : one))
  return text === JSON.stringify(value) ? value : JSON.parse(text)
}

const MAX_DEPTH = 8
