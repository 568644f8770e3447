/** What a model's provider did wrong, in words that say which address it was and what to do. */

import { HostError } from '../errors.ts'

export function modelFailed(cause: unknown): HostError {
  const last = innermost(cause)
  const { statusCode } = last as { statusCode?: unknown }
  const at = addressOf(last)
  const code = codeOf(last)
  if (at !== undefined && code !== undefined) {
    const remedy =
      'Start the program that serves the model there, give the model another address, or choose another one.'
    return new HostError('model-failed', `No model answers at ${at} (${code})`, { cause, data: { remedy } })
  }
  const status = typeof statusCode === 'number' ? ` (HTTP ${statusCode}${at === undefined ? '' : ` from ${at}`})` : ''
  const message = last instanceof Error ? last.message : String(last)
  const remedy = REMEDIES.get(statusCode)
  return new HostError('model-failed', `The model's provider failed${status}: ${message}`, {
    cause,
    data: { statusCode, ...(remedy !== undefined && { remedy }) },
  })
}

const REMEDIES: ReadonlyMap<unknown, string> = new Map([
  [401, 'Check the key of this model.'],
  [403, 'Check that the key of this model may use it.'],
  [404, 'Check the name of the model and its address.'],
  [429, 'Wait a moment and send it again, or choose another model.'],
])

/** The library wraps the last error of several attempts. */
function innermost(error: unknown): unknown {
  const { lastError } = (error ?? {}) as { lastError?: unknown }
  return lastError === undefined ? error : innermost(lastError)
}

/** Without its path and query, where some providers expect a key. */
function addressOf(error: unknown): string | undefined {
  const { url } = (error ?? {}) as { url?: unknown }
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined
}

/** Of the system, where the connection itself failed. */
function codeOf(error: unknown): string | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 8; one = one.cause, depth++) {
    const { code } = one as { code?: unknown }
    if (typeof code === 'string' && /^(?:E[A-Z]+|UND_ERR_[A-Z_]+|CERT_[A-Z_]+)$/.test(code)) return code
  }
  return undefined
}
