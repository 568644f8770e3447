/** A function for meanings over HTTP, in the form that Ollama, llama.cpp, vLLM and OpenAI share: `POST …/v1/embeddings`. */

import { isObject } from '@portico/sdk/internal'
import { PorticoError, ToolError } from '@portico/sdk/server'
import { readSecret } from '../network/environment.ts'
import { createGuardedFetch } from '../network/guarded-fetch.ts'
import type { Embed } from './meanings.ts'

/** Where the model for meanings is. */
export interface EmbedService {
  /** The whole address, such as `http://127.0.0.1:11434/v1/embeddings`. */
  readonly url: string
  readonly model: string
  /** The variable with the key, where the service asks for one. */
  readonly keyEnv?: string | undefined
}

const TIMEOUT_MS = 60_000
const MAX_BYTES = 33_554_432

/** Asks the one address that the operator named, which may be one of this machine. */
export function createEmbed({ url, model, keyEnv }: EmbedService): Embed {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new PorticoError('invalid-arguments', 'The option "embedUrl" must be an http or https address')
  }
  const target = new URL(url)
  const port = target.port || (target.protocol === 'https:' ? '443' : '80')
  const fetch = createGuardedFetch({
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    maxBytesOption: 'none: fixed',
    allowPrivate: [`${target.hostname}:${port}`],
  })
  const secretHeaders: { readonly [name: string]: string } =
    keyEnv === undefined ? {} : { authorization: `Bearer ${readSecret(keyEnv, 'embedKeyEnv')}` }
  return async (texts, signal) => {
    const body = JSON.stringify({ model, input: texts })
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const answer = await fetch(target, { method: 'POST', headers, secretHeaders, body, signal, redirects: 'none' })
    if (answer.status !== 200) throw new ToolError(`The service for meanings answered with status ${answer.status}.`)
    return readVectors(new TextDecoder().decode(answer.body))
  }
}

function readVectors(text: string): number[][] {
  try {
    const { data } = JSON.parse(text)
    const rows: unknown[] = [...data]
    return rows.map((row) => {
      const vector = isObject(row) ? row.embedding : undefined
      if (!Array.isArray(vector) || !vector.every((value) => typeof value === 'number')) throw new Error('no vector')
      return vector
    })
  } catch (cause) {
    throw new ToolError('The service for meanings answered with something else than vectors.', { cause })
  }
}
