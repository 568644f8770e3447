/**
 * The secrets that were given out since the program started, by value: a server that was handed one may quote it in an
 * error or a log line, and it must not be written down or shown from there.
 */

import type { InputSource } from './inputs.ts'
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

/** The same error, without the secrets in its words, for whoever it is shown to. */
export function hideInError(error: unknown, hide: (text: string) => string): unknown {
  if (!(error instanceof Error) || hide(error.message) === error.message) return error
  error.message = hide(error.message)
  if (error.stack !== undefined) error.stack = hide(error.stack)
  return error
}
