/**
 * Turns away peers on a plain socket whose first line is no message. A web page cannot open such a socket, but it can
 * send an HTTP request to the port, whose body would be read as messages once the lines of its head had been skipped:
 * here the request line ends the connection. For HTTP, which has headers to look at, `origin-check.ts` does the same.
 */

import type { Channel, ChannelEvents, Malformed } from '../../jsonrpc/channel.ts'
import { PorticoError } from '../../jsonrpc/errors.ts'
import type { ByteStreamChannel } from '../../transport/byte-stream.ts'

export function withFirstWordCheck(channel: ByteStreamChannel): Channel {
  let isKnown = false
  const turnAway = (): void => channel.destroy(new PorticoError('invalid-message', 'The peer does not speak MCP'))
  return {
    label: channel.label,
    send: (text, urgency, key) => channel.send(text, urgency, key),
    flush: () => channel.flush(),
    close: () => channel.close(),
    open(events: ChannelEvents) {
      channel.open({
        message(value) {
          isKnown ||= typeof value === 'object' && value !== null
          if (isKnown) events.message(value)
          else turnAway()
        },
        malformed(fault) {
          if (isKnown || opensLikeMessage(fault)) events.malformed(fault)
          else turnAway()
        },
        ended: events.ended && (() => events.ended?.()),
        closed: (reason) => events.closed(reason),
      })
    },
  }
}

function opensLikeMessage({ excerpt = '' }: Malformed): boolean {
  return /^\s*[{[]/.test(excerpt)
}
