/** Any error as the page gets it: a status, one line, and what to do. What nobody foresaw is said without its inside. */

import { HostError, type HostErrorCode } from '@portico/host/errors'
import { PorticoError, RpcError } from '@portico/sdk/client'
import { RecordingError } from '../../recording/format.ts'
import type { ApiFailure } from '../api-types/api.ts'
import { BodyError } from './http.ts'
import { ParamsError } from './params.ts'

interface SentFailure {
  readonly status: number
  readonly failure: ApiFailure
}

/** What a method refuses, with what to do about it. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly remedy: string | undefined
  readonly data: unknown

  constructor(status: number, { code, message, remedy, data }: ApiFailure) {
    super(message)
    this.name = 'Refused'
    this.status = status
    this.code = code
    this.remedy = remedy
    this.data = data
  }
}

const HOST_STATUSES: { readonly [code in HostErrorCode]?: number } = {
  denied: 403,
  quarantined: 403,
  'untrusted-config': 403,
  unavailable: 503,
  closed: 503,
  'unknown-server': 404,
  'unknown-item': 404,
  'invalid-config': 422,
  'secret-missing': 422,
  'no-model': 422,
  'budget-exhausted': 429,
  'model-failed': 502,
}

const HOST_REMEDIES: { readonly [code in HostErrorCode]?: string } = {
  denied: 'Look at the rules under Policy, or allow it when asked.',
  quarantined: 'Look at what changed under Servers, and approve it there.',
  'unknown-server': 'See the list under Servers.',
  'unknown-item': 'Search for it; its server may be down.',
  'invalid-config': 'Correct the entry.',
  'no-model': 'Add a model in Chat.',
}

export function toFailure(error: unknown): SentFailure {
  if (error instanceof Refused) {
    const { status, code, message, remedy, data } = error
    return { status, failure: { code, message, remedy, data } }
  }
  if (error instanceof ParamsError) return { status: 400, failure: { code: 'bad-request', message: error.message } }
  if (error instanceof BodyError)
    return { status: error.status, failure: { code: 'bad-request', message: error.message } }
  if (error instanceof RecordingError) return { status: 422, failure: { code: 'no-recording', message: error.message } }
  if (error instanceof HostError) return fromHost(error)
  if (error instanceof RpcError) {
    const { rpcCode: code, data } = error
    return { status: 502, failure: { code: 'server-error', message: firstLine(error.message), data: { code, data } } }
  }
  if (error instanceof PorticoError) {
    const status = error.code === 'invalid-arguments' ? 400 : error.code === 'aborted' ? 499 : 502
    return { status, failure: { code: error.code, message: firstLine(error.message) } }
  }
  if (isAbort(error)) return { status: 499, failure: { code: 'aborted', message: 'It was cancelled' } }
  const message = error instanceof Error ? firstLine(error.message) : 'Something went wrong'
  return { status: 500, failure: { code: 'failed', message, remedy: 'Try again; the log of the program says more.' } }
}

function fromHost({ code, message, data }: HostError): SentFailure {
  const { remedy } = (typeof data === 'object' && data !== null ? data : {}) as { remedy?: unknown }
  return {
    status: HOST_STATUSES[code] ?? 500,
    failure: {
      code,
      message: firstLine(message),
      remedy: typeof remedy === 'string' ? remedy : HOST_REMEDIES[code],
      data: toPlain(data),
    },
  }
}

export function isAbort(error: unknown): boolean {
  if (error instanceof PorticoError) return error.code === 'aborted'
  return error instanceof Error && error.name === 'AbortError'
}

function firstLine(message: string): string {
  return message.split('\n')[0]?.slice(0, 2_000) ?? message
}

/** Data of an error is for the page only as far as it is JSON. */
function toPlain(data: unknown): unknown {
  try {
    return data === undefined ? undefined : JSON.parse(JSON.stringify(data))
  } catch {
    return undefined
  }
}
