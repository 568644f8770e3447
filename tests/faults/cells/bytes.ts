/** What cells do to the bytes that pass the proxy. */

import type { Pace, Passage, ProxyHooks } from '@portico/sdk/testing/faults'
import { answerTo } from '../programs/server-plan.ts'
import type { Rig } from '../rig/rig.ts'

export function hooksOf(rig: Rig): ProxyHooks {
  if (rig.proxy === undefined) throw new Error('The rig has no proxy')
  return rig.proxy.hooks
}

export function setPace(rig: Rig, pace: Pace | undefined): void {
  if (rig.proxy !== undefined) rig.proxy.pace = pace
}

type Act = (bytes: Buffer, passage: Passage) => void

/** Takes the answer to one call out of the stream of bytes, once. */
export function onAnswer(rig: Rig, nonce: string, act: Act): void {
  const hooks = hooksOf(rig)
  hooks.response = (bytes, passage) => {
    if (!bytes.includes(answerTo(nonce))) return bytes
    hooks.response = undefined
    act(bytes, passage)
    return undefined
  }
}

/** The same for the request. */
export function onRequest(rig: Rig, nonce: string, act: Act): void {
  const hooks = hooksOf(rig)
  hooks.request = (bytes, passage) => {
    if (!bytes.includes(nonce)) return bytes
    hooks.request = undefined
    act(bytes, passage)
    return undefined
  }
}
