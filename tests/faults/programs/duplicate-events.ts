/** Every event of an event stream is sent twice, by whatever serves HTTP in this process. */

import { ServerResponse } from 'node:http'

export function duplicateEvents(): void {
  const { write } = ServerResponse.prototype
  ServerResponse.prototype.write = function (this: ServerResponse, chunk: unknown, ...rest: unknown[]) {
    const text = String(chunk)
    // The overloads of `write` differ only in what may be left out.
    const pass = write as (chunk: unknown, ...rest: unknown[]) => boolean
    return pass.call(this, text.includes('data: ') ? text + text : chunk, ...rest)
  } as typeof write
}
