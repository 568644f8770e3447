/**
 * Change notices to those who want them: open `subscriptions/listen` requests of the newest revision, and sessions of
 * the older ones, which hear of every list and of the resources they subscribed to.
 */

import type { JsonObject } from '../../jsonrpc/message.ts'
import { DEFERRED, defineMethod } from '../call/method.ts'
import { defineFeature, type Feature } from '../feature.ts'
import { Listens } from './listens.ts'

export const SUBSCRIPTIONS = defineFeature('subscriptions', (server): Feature => {
  let listens: Listens | undefined
  const method = defineMethod<JsonObject | typeof DEFERRED>({
    method: 'subscriptions/listen',
    holds: true,
    // Here from the start: what changes after a listen has come is told, and loading would lose it.
    run: (call) => {
      listens ??= new Listens(server)
      return listens.listen(call)
    },
    write: (result) => (result === DEFERRED ? {} : result),
  })
  return { methods: () => [method] }
})
