// Teaches: a transport of your own. A `Channel` over a `MessagePort`, between two threads, or a page and its worker.
import { type Channel, type ChannelEvents, parseJson, SendQueue } from '@portico/sdk/transport'

/** Crossing the port: an array holds messages, `true` says that the last array was taken, `null` is the end. */
export function createPortChannel(port: InstanceType<typeof MessagePort>): Channel {
  let events: ChannelEvents | undefined
  let closing = false
  let over: { reason?: Error } | undefined
  let resolveGone = (): void => {}
  const gone = new Promise<void>((resolve) => {
    resolveGone = resolve
  })
  // A port takes everything at once. Only one array on its way at a time lets the queue notice a slow reader.
  const write = (texts: string[]): boolean => {
    port.postMessage(texts)
    return false
  }
  const queue = new SendQueue({ write, overflow: end })
  port.addEventListener('close', () => end())

  function end(reason?: Error): void {
    if (over) return
    over = { reason }
    queue.close()
    port.close()
    events?.closed(reason)
    resolveGone()
  }
  function receive(event: object): void {
    const data = 'data' in event ? event.data : undefined
    if (data === true) queue.drained()
    if (data === null && !closing) port.postMessage(null)
    if (data === null) end()
    if (!Array.isArray(data)) return
    for (const text of data) if (!over) deliver(parseJson(String(text)))
    port.postMessage(true)
  }
  function deliver(parsed: ReturnType<typeof parseJson>): void {
    if (parsed.ok) events?.message(parsed.value)
    else events?.malformed(parsed)
  }
  function open(given?: ChannelEvents): void {
    events ??= given
    port.addEventListener('message', receive)
    port.start()
    if (over) queueMicrotask(() => given?.closed(over?.reason))
  }
  async function close(): Promise<void> {
    if (closing || over) return gone
    closing = true
    // The other side's answers have to be read, even if nobody listens.
    open()
    await queue.flushed()
    port.postMessage(null)
    return gone
  }
  const send: Channel['send'] = (text, urgency, key) => void (closing || queue.push(text, urgency, key))
  return { label: 'message port', open, send, flush: () => queue.flushed(), close }
}
