/** Everything that passes one connection, for a timeline. Costs nothing while nobody listens. */

import type { JsonObject } from '@portico/sdk/client'
import { type Link, requestParams } from '@portico/sdk/internal'

/** One protocol message between the host and a server, as it passed; `at` is in milliseconds since 1970. */
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

/** Requests of a connection that get no answer any more: one, or all that are open when the connection ends. */
export interface LostRequests {
  readonly server: string
  readonly connection: string
  readonly at: number
  /** Undefined where the whole connection is gone. */
  readonly id?: string | number
  readonly reason: string
  /** This side gave it up; that says nothing about the server. */
  readonly cancelled: boolean
}

/** Who is told what passes a connection. */
export interface Tap {
  /** Asked for every message. */
  isOn(): boolean
  message(direction: WireMessage['direction'], message: JsonObject): void
  lost(id: string | number | undefined, reason: string, cancelled?: boolean): void
}

export function toWireMessage(
  server: string,
  connection: string,
  direction: WireMessage['direction'],
  message: JsonObject,
): WireMessage {
  return { server, connection, direction, at: Date.now(), bytes: sizeOf(message), message }
}

export function withTap(link: Link, tap: Tap): Link {
  // Messages are JSON objects, whichever of their types the compiler knows them by.
  const sent = (message: object) => tap.message('out', message as JsonObject)
  const received = (message: object) => tap.message('in', message as JsonObject)
  return {
    kind: link.kind,
    label: link.label,
    process: link.process,
    open: (events) =>
      link.open({
        response: (response) => {
          if (tap.isOn()) received(response)
          events.response(response)
        },
        message: (message, owner) => {
          if (tap.isOn()) received(message)
          events.message(message, owner)
        },
        failed: (id, error) => {
          if (tap.isOn()) tap.lost(id, reasonOf(error))
          events.failed(id, error)
        },
        held: (id, waiting) => events.held?.(id, waiting),
        paused: (id, retryMs) => events.paused?.(id, retryMs),
        irregular: (reason, detail) => events.irregular(reason, detail),
        closed: (error) => {
          if (tap.isOn()) tap.lost(undefined, reasonOf(error))
          events.closed(error)
        },
      }),
    request: (outgoing) => {
      const { id, method } = outgoing
      if (tap.isOn()) sent({ jsonrpc: '2.0', id, method, params: requestParams(outgoing) })
      link.request(outgoing)
    },
    cancel: (id, reason) => {
      const params = { requestId: id, reason }
      if (tap.isOn()) sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      link.cancel(id, reason)
      if (tap.isOn()) tap.lost(id, 'Cancelled', true)
    },
    send: (message) => {
      if (tap.isOn()) sent(message)
      return link.send(message)
    },
    agree: (revision) => link.agree(revision),
    listen: () => link.listen(),
    close: () => link.close(),
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The connection was closed'
}

function sizeOf(message: JsonObject): number {
  try {
    return Buffer.byteLength(JSON.stringify(message))
  } catch {
    // What cannot be written is refused by the link itself.
    return 0
  }
}
