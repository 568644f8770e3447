/** Everything that passes one connection, for a timeline. Costs nothing while nobody listens. */

import { type JsonObject, type Link, requestParams } from '@portico/sdk/client'

export interface WireMessage {
  readonly server: string
  /** Tells the connections of one server apart. */
  readonly connection: string
  /** `out` is from this host to the server. */
  readonly direction: 'out' | 'in'
  readonly at: number
  /** As JSON text in UTF-8; over HTTP without headers and framing. */
  readonly bytes: number
  readonly message: JsonObject
}

export type Tap = (direction: WireMessage['direction'], message: JsonObject) => void

export function toWireMessage(
  server: string,
  connection: string,
  direction: WireMessage['direction'],
  message: JsonObject,
): WireMessage {
  return { server, connection, direction, at: Date.now(), bytes: sizeOf(message), message }
}

/** `isOn` is asked for every message. */
export function withTap(link: Link, isOn: () => boolean, tap: Tap): Link {
  // Messages are JSON objects, whichever of their types the compiler knows them by.
  const sent = (message: object) => tap('out', message as JsonObject)
  const received = (message: object) => tap('in', message as JsonObject)
  return {
    kind: link.kind,
    label: link.label,
    process: link.process,
    open: (events) =>
      link.open({
        response: (response) => {
          if (isOn()) received(response)
          events.response(response)
        },
        message: (message, owner) => {
          if (isOn()) received(message)
          events.message(message, owner)
        },
        failed: (id, error) => events.failed(id, error),
        held: (id, waiting) => events.held?.(id, waiting),
        paused: (id, retryMs) => events.paused?.(id, retryMs),
        irregular: (reason, detail) => events.irregular(reason, detail),
        closed: (error) => events.closed(error),
      }),
    request: (outgoing) => {
      const { id, method } = outgoing
      if (isOn()) sent({ jsonrpc: '2.0', id, method, params: requestParams(outgoing) })
      link.request(outgoing)
    },
    cancel: (id, reason) => {
      const params = { requestId: id, reason }
      if (isOn()) sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      link.cancel(id, reason)
    },
    send: (message) => {
      if (isOn()) sent(message)
      return link.send(message)
    },
    agree: (revision) => link.agree(revision),
    listen: () => link.listen(),
    close: () => link.close(),
  }
}

function sizeOf(message: JsonObject): number {
  try {
    return Buffer.byteLength(JSON.stringify(message))
  } catch {
    // What cannot be written is refused by the link itself.
    return 0
  }
}
