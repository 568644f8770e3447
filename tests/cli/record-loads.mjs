/** `node --import`: writes the address of every module that is loaded, a line each, into the file that LOADED_FILE names. */

import { appendFileSync } from 'node:fs'
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

// The same file is the hooks, on a thread of their own.
if (isMainThread) register(import.meta.url)

export function load(url, context, next) {
  appendFileSync(process.env.LOADED_FILE, `${url}\n`)
  return next(url, context)
}
