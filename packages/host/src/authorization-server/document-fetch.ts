/**
 * Fetches what clients say lies elsewhere: the documents that describe them, and their keys. Strangers name these
 * addresses, so only public ones are dialled (sec-60, sec-92), and no redirect is followed.
 */

import { createGuardedFetch } from '@portico/sdk/auth-node'

export function createDocumentFetch(): typeof fetch {
  const guarded = createGuardedFetch({ maxRedirects: 0 })
  return (input, init) => {
    const { headers, signal } = new Request(input, init)
    return guarded(String(input), { headers: Object.fromEntries(headers), signal })
  }
}
