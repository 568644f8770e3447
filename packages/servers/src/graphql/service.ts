/** Sends one document to the GraphQL endpoint and reads its answer: bounded, cleaned, with credentials kept out of it. */

import { ToolError } from '@portico/sdk/server'
import type { GuardedFetch } from '../network/guarded-fetch.ts'
import type { Redactor } from '../network/redaction.ts'

interface GraphqlRequest {
  readonly query: string
  readonly variables?: { readonly [name: string]: unknown }
  readonly operationName?: string | undefined
}

interface GraphqlAnswer {
  readonly data?: unknown
  readonly errors?: readonly GraphqlFault[]
}

interface GraphqlFault {
  readonly message: string
  readonly path?: readonly (string | number)[]
}

export interface GraphqlService {
  send(request: GraphqlRequest, signal?: AbortSignal): Promise<GraphqlAnswer>
}

interface GraphqlServiceOptions {
  readonly endpoint: URL
  readonly headers: { readonly [name: string]: string }
  readonly fetch: GuardedFetch
  readonly redactor: Redactor
}

export function createGraphqlService({ endpoint, headers, fetch, redactor }: GraphqlServiceOptions): GraphqlService {
  return {
    async send({ query, variables, operationName }, signal) {
      const answer = await fetch(endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/graphql-response+json, application/json;q=0.9',
        },
        secretHeaders: headers,
        body: JSON.stringify({ query, variables, operationName }),
        signal,
      })
      const text = new TextDecoder().decode(answer.body)
      const parsed = parse(text)
      // Some services answer requests that failed with a status and a GraphQL body; the body tells more.
      if (parsed !== undefined) return clean(parsed, redactor)
      throw new ToolError(
        `The service answered HTTP ${answer.status} and no GraphQL result. ${redactor.excerpt(text, 300)}`,
      )
    },
  }
}

const MAX_FAULTS = 20

function parse(text: string): { readonly data?: unknown; readonly errors?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isAnswer = typeof value === 'object' && value !== null && ('data' in value || 'errors' in value)
    return isAnswer ? value : undefined
  } catch {
    return undefined
  }
}

function clean(
  { data, errors }: { readonly data?: unknown; readonly errors?: unknown },
  redactor: Redactor,
): GraphqlAnswer {
  const faults = Array.isArray(errors) ? errors.slice(0, MAX_FAULTS).map((fault) => toFault(fault, redactor)) : []
  return { ...(data !== undefined && { data: redactor.json(data) }), ...(faults.length > 0 && { errors: faults }) }
}

/** Message and path; what else a service attaches is for its own developers. */
function toFault(fault: unknown, redactor: Redactor): GraphqlFault {
  const { message, path } = (typeof fault === 'object' && fault !== null ? fault : {}) as {
    readonly message?: unknown
    readonly path?: unknown
  }
  const words = typeof message === 'string' ? redactor.excerpt(message, 1_000) : 'unknown error'
  if (!Array.isArray(path)) return { message: words }
  const steps = path.filter((step): step is string | number => typeof step === 'string' || typeof step === 'number')
  return { message: words, path: steps.slice(0, 50) }
}
