/** Requests to the program behind the page, typed by the contract that both share. */

import type { ApiFailure, ApiMethod, ApiParams, ApiResult } from 'portico/web-api'

/** A request that was refused, with what to do about it. */
export class ApiError extends Error {
  readonly code: string
  readonly remedy: string | undefined
  readonly data: unknown

  constructor({ code, message, remedy, data }: ApiFailure) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.remedy = remedy
    this.data = data
  }
}

export async function call<M extends ApiMethod>(
  method: M,
  params: ApiParams<M>,
  signal?: AbortSignal,
): Promise<ApiResult<M>> {
  let response: Response
  try {
    response = await fetch(`/api/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
      credentials: 'same-origin',
      signal,
    })
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw new ApiError({
      code: 'offline',
      message: 'The program behind this page does not answer',
      remedy: 'Start it again with `npm start` or `npx portico`, and open the link it prints.',
    })
  }
  // The program is the other half of this page; what it answers is what the contract says.
  if (response.ok) return (await response.json()) as ApiResult<M>
  throw new ApiError(await readFailure(response))
}

async function readFailure(response: Response): Promise<ApiFailure> {
  try {
    return (await response.json()) as ApiFailure
  } catch {
    return { code: `http-${response.status}`, message: `The program answered with status ${response.status}` }
  }
}
